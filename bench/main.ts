/**
 * `npm run bench`: measures the product beside its peers in one run, prints one table and writes `bench/results/*.json`.
 *
 *   npm run bench                    every row, some thirteen minutes, six of them ingest
 *   npm run bench -- csr connects    rows whose name contains one of the words
 *                                    (csr redemption memory revocation connects stored ingest device lists chart)
 *   npm run bench -- audit-10m       a certificate audit of ten million entries; only by this word
 *
 * Linux only: CPU time and memory are read from /proc. Rows whose peer is not installed say so. The load comes from this
 * process over loopback and shares the machine with what it measures, so CPU a piece of work says more than the rate.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unlessEnded } from "./interrupt.ts";
import { createFleet } from "./load/fleet.ts";
import { fillLists, LONG_LISTS, type LongList, type LongLists, vacuum } from "./load/long-lists.ts";
import { watchEveryDevice } from "./load/rules.ts";
import { startBareRoute } from "./peers/bare-route.ts";
import { embeddedEngine, type IngestEngine, postgresEngine } from "./peers/ingest-engine.ts";
import { startMosquitto } from "./peers/mosquitto.ts";
import { newDataDir, startMuster } from "./peers/muster.ts";
import { startPostgres } from "./peers/postgres.ts";
import { type Figure, isMet, machine, Skip, table } from "./report.ts";
import { anomalyDelay } from "./rows/anomaly-delay.ts";
import { chart } from "./rows/chart.ts";
import { type BrokerUnderLoad, connects } from "./rows/connect.ts";
import { csrToLeaf } from "./rows/csr-to-leaf.ts";
import { getDevice } from "./rows/get-device.ts";
import { idleMemory, SESSIONS } from "./rows/idle-memory.ts";
import { DEVICES, ingest } from "./rows/ingest.ts";
import { longAudit, longLists } from "./rows/long-lists.ts";
import { redemptions } from "./rows/redemption.ts";
import { revocationToClose } from "./rows/revocation.ts";
import { storedMessages } from "./rows/stored-messages.ts";

const words = process.argv.slice(2);
const wants = (...names: string[]) =>
  words.length === 0 || names.some((name) => words.some((word) => name.includes(word)));
const figures: Figure[] = [];
const skipped: string[] = [];
const started = performance.now();

function say(text: string): void {
  console.log(`[${((performance.now() - started) / 1000).toFixed(0).padStart(3)} s] ${text}`);
}

function add(more: readonly Figure[]): void {
  figures.push(...more);
}

/** What `start` gives, or undefined with a line that says why not. */
async function available<T>(without: string, start: () => Promise<T>): Promise<T | undefined> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof Skip)) throw error;
    skipped.push(`${error.message}: ${without}`);
    say(skipped.at(-1)!);
    return undefined;
  }
}

async function onEmbedded(): Promise<void> {
  say("redemptions on the embedded database");
  const dataDir = newDataDir();
  const muster = await startMuster(dataDir.path);
  try {
    add((await unlessEnded(redemptions(muster, "PGlite", { most: 5000, seconds: 8 }))).figures);
  } finally {
    await muster.stop();
    dataDir.remove();
  }
}

async function onPostgres(): Promise<void> {
  const postgres = await available("no redemptions, sessions and messages on PostgreSQL", startPostgres);
  if (postgres === undefined) return;
  const dataDir = newDataDir();
  try {
    await brokerRows(await postgres.createDatabase("bench"), dataDir.path);
  } finally {
    await postgres.stop();
    dataDir.remove();
  }
}

async function brokerRows(databaseUrl: string, dataDir: string): Promise<void> {
  say("redemptions on PostgreSQL");
  let muster = await startMuster(dataDir, databaseUrl);
  try {
    const enrolled = await unlessEnded(redemptions(muster, "PostgreSQL", { most: 9000, seconds: 8, targetMs: 0.8 }));
    if (wants("redemption")) add(enrolled.figures);
    if (!wants("memory", "revocation", "connects", "stored")) return;
    // A fresh process, so that its memory is that of sessions and not of what came before.
    await muster.stop();
    muster = await startMuster(dataDir, databaseUrl);
    await sessionRows(muster, databaseUrl, enrolled);
  } finally {
    await muster.stop();
  }
}

async function sessionRows(
  muster: Awaited<ReturnType<typeof startMuster>>,
  databaseUrl: string,
  { identities, newKey }: Awaited<ReturnType<typeof redemptions>>,
): Promise<void> {
  const mosquitto = await available("no peer for sessions and messages", startMosquitto);
  try {
    const peer: BrokerUnderLoad | undefined = mosquitto && {
      pid: mosquitto.pid,
      target: mosquitto.target,
      identities: await mosquitto.newIdentities(SESSIONS),
    };
    const under = (devices: typeof identities) => ({ pid: muster.pid, target: muster.mqtt, identities: devices });
    const toRevoke = identities.slice(0, SESSIONS);
    const others = identities.slice(SESSIONS, 2 * SESSIONS);
    if (wants("memory", "revocation")) {
      say(`memory of ${SESSIONS} idle sessions`);
      const { figures: memory, sessions } = await unlessEnded(idleMemory(under(toRevoke), peer));
      if (wants("memory")) add(memory);
      say("revocation to close");
      add(await unlessEnded(revocationToClose(muster, newKey, sessions, toRevoke)));
    }
    if (wants("connects")) {
      say("connects over mutual TLS");
      add(await unlessEnded(connects(under(others), peer)));
    }
    if (wants("stored")) {
      say("stored messages");
      add(
        await unlessEnded(storedMessages(under(others), databaseUrl, mosquitto && peer && { mosquitto, load: peer })),
      );
    }
  } finally {
    await mosquitto?.stop();
  }
}

/** Messages a second are not limited: ten devices are to load the server as thousands do. */
const UNLIMITED = { MUSTER_MQTT_MESSAGES_PER_SECOND: "0" };

async function measureIngest(engine: IngestEngine, dataDir: string): Promise<void> {
  say(`${DEVICES} devices enroll, ${engine.name}`);
  const muster = await startMuster(dataDir, engine.databaseUrl, UNLIMITED);
  let stored = 0;
  try {
    const enrolled = await unlessEnded(redemptions(muster, engine.name, { most: DEVICES, seconds: 600 }));
    await watchEveryDevice(muster, enrolled.deviceTypeId);
    if (engine.databaseUrl !== undefined && engine.atLeast !== undefined) {
      say("publish to anomaly");
      add(await unlessEnded(anomalyDelay(muster, engine.databaseUrl, enrolled, engine.atLeast / 2)));
    }
    say(`messages of 10 to ${DEVICES} devices, ${engine.name}`);
    const { figures: rows, readings } = await unlessEnded(ingest(muster, engine, enrolled));
    add(rows);
    stored = readings;
  } finally {
    await muster.stop();
    if (stored > 0) await unlessEnded(checkReadings(engine, stored));
    await engine.stop();
  }
}

/** What was acknowledged must be there, or the figures are worth nothing. */
async function checkReadings(engine: IngestEngine, atLeast: number): Promise<void> {
  const found = await engine.readings();
  if (found < atLeast) throw new Error(`${atLeast} readings were acknowledged on ${engine.name}, ${found} are there`);
}

async function ingestOn(open: (dataDir: string) => Promise<IngestEngine>): Promise<void> {
  const dataDir = newDataDir();
  const engine = await available("no messages stored and judged", () => open(dataDir.path));
  if (engine) await measureIngest(engine, dataDir.path).finally(dataDir.remove);
}

/** Lists of each length, one tenant each, in one database. */
async function onLongLists(
  lists: readonly LongList[],
  lengths: readonly number[],
  measure: (muster: Awaited<ReturnType<typeof startMuster>>, url: string, filled: LongLists[]) => Promise<Figure[]>,
): Promise<void> {
  const postgres = await available("no lists", startPostgres);
  if (postgres === undefined) return;
  const dataDir = newDataDir();
  const url = await postgres.createDatabase("lists");
  const muster = await startMuster(dataDir.path, url);
  try {
    const filled: LongLists[] = [];
    for (const rows of lengths) {
      say(`filling lists of ${rows}`);
      filled.push(await unlessEnded(fillLists(url, rows, lists)));
    }
    await unlessEnded(vacuum(url));
    say("pages of long lists");
    add(await unlessEnded(measure(muster, url, filled)));
  } finally {
    await muster.stop();
    await postgres.stop();
    dataDir.remove();
  }
}

/** One device by the public API, beside the shortest program that could answer it. */
async function onFleet(): Promise<void> {
  const postgres = await available("no GET /devices/{id}", startPostgres);
  if (postgres === undefined) return;
  const dataDir = newDataDir();
  const url = await postgres.createDatabase("fleet");
  const muster = await startMuster(dataDir.path, url);
  try {
    say("filling a tenant with devices and keys");
    const fleet = await createFleet(muster, url, { devices: 2000, keys: 1000 });
    const bare = await startBareRoute(url, fleet.tenantId);
    say("GET /devices/{id}");
    add(await unlessEnded(getDevice(muster, bare, fleet)).finally(bare.stop));
  } finally {
    await muster.stop();
    await postgres.stop();
    dataDir.remove();
  }
}

async function onCharts(): Promise<void> {
  const postgres = await available("no charts", startPostgres);
  if (postgres === undefined) return;
  say("a chart over 2.6 million readings");
  try {
    add(await unlessEnded(chart(await postgres.createDatabase("charts"))));
  } finally {
    await postgres.stop();
  }
}

if (wants("csr")) {
  say("CSR to leaf");
  add(await csrToLeaf());
}
if (wants("redemption")) await onEmbedded();
if (wants("redemption", "memory", "revocation", "connects", "stored")) await onPostgres();
if (wants("ingest-pglite")) await ingestOn(async (dataDir) => embeddedEngine(dataDir));
if (wants("ingest-postgresql")) await ingestOn(postgresEngine);
if (wants("device")) await onFleet();
if (wants("lists")) await onLongLists(LONG_LISTS, [1000, 100_000, 1_000_000], longLists);
if (wants("chart")) await onCharts();
if (words.includes("audit-10m")) {
  await onLongLists(["certificate_audit"], [10_000_000], (muster, url, [lists]) => longAudit(muster, url, lists!));
}

console.log(`\n${table(figures)}`);
for (const line of skipped) console.log(`skipped: ${line}`);
const results = join(import.meta.dirname, "results");
mkdirSync(results, { recursive: true });
const at = new Date().toISOString();
const file = join(results, `${at.replaceAll(":", "-")}.json`);
const report = { at, machine: machine(), figures: figures.map((f) => ({ ...f, met: isMet(f) })), skipped };
writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
say(`written to ${file}`);
process.exit();
