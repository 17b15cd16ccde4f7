import { type Meter, percentile, sleep, until } from "../../load/measure.ts";
import { closeAll, type Identity, openAll, type Session } from "../../load/mqtt-client.ts";
import type { MusterProcess } from "../../load/muster.ts";
import { startNatsServers } from "../../load/nats.ts";
import { publishPaced } from "../../load/paced-publisher.ts";
import { query } from "../../load/postgres.ts";
import { cpuMs, familyCpuMs } from "../../load/processes.ts";
import { publishOnAll } from "../../load/publisher.ts";
import { createTenant } from "../../load/tenant.ts";
import { NATS_VERSION_FLOOR } from "../../server/test/harness/processes/nats-server.ts";
import { beside, type Figure, figure, note } from "../report.ts";
import { progress, setting } from "../run.ts";
import { onPostgres } from "../site.ts";
import { publishUntilStored, rows } from "./stored-messages.ts";

const WAYS = ["direct", "stream"] as const;
type Way = (typeof WAYS)[number];
const SERVERS = 3;
const ROUNDS = setting("rounds", 2);
/** A device may send 100 messages a second. */
const DEVICES = 800;
const PER_SECOND = setting("rate", 2_000);
const WARM_UP_SECONDS = 4;
const SECONDS = setting("seconds", 12);
const HOUR_MS = 3_600_000;
/** Each run has later times than the ones before. */
let runs = 0;

/** Reads CPU times so far, in milliseconds. */
type Used = () => ReturnType<Meter> & { readonly natsMs: number };

/** Messages with the CPU time until the last one was stored. */
interface Load extends ReturnType<Used> {
  readonly count: number;
  readonly seconds: number;
}

interface Measured {
  readonly paced: Load & { readonly delaysMs: readonly number[] };
  readonly most: Load & { readonly acknowledgedPerSecond: number };
}

/** Acknowledges messages once three NATS servers have them, beside once PostgreSQL has, in turns on one database. */
export async function ingestStream(): Promise<Figure[]> {
  const nats = await startNatsServers(SERVERS, true);
  const natsMs = () => nats.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
  const settings = {
    MUSTER_NATS_URL: nats.map(({ url }) => url).join(","),
    MUSTER_TEST_NATS_VERSION_FLOOR: NATS_VERSION_FLOOR,
  };
  const measure = onPostgres(async ({ serve, url, databaseMs }) => {
    const enroll = async (muster: MusterProcess) => (await createTenant(muster, "bench")).newDevices(DEVICES);
    const identities = await serve(enroll, { ...settings, MUSTER_INGEST: "direct" });
    const all = new Map<Way, Measured[]>(WAYS.map((way) => [way, []]));
    for (let round = 1; round <= ROUNDS; round++)
      for (const way of WAYS) {
        progress(`MUSTER_INGEST=${way}, round ${round} of ${ROUNDS}`);
        const work = async (muster: MusterProcess) => {
          // Messages that a former process left in the stream are stored first.
          await until(`MUSTER_INGEST=${way}`, 60, async () => (await waysOf(url)) === way || undefined);
          const used: Used = () => ({ serverMs: familyCpuMs(muster.pid), databaseMs: databaseMs(), natsMs: natsMs() });
          return await ingestOfWay(muster, identities, used, () => rows(url, "telemetry_messages"));
        };
        all.get(way)!.push(await serve(work, { ...settings, MUSTER_INGEST: way }));
      }
    return figuresOf(all);
  });
  return await measure.finally(() => Promise.all(nats.map((server) => server.stop())));
}

/** Returns the ways that the messages of devices take. */
async function waysOf(url: string): Promise<string> {
  const ways = await query<{ way: string }>(url, "SELECT DISTINCT way FROM stream_processes");
  return ways.map(({ way }) => way).join();
}

/** Applies a fixed load, then as much as is acknowledged, each until all of it is stored. */
async function ingestOfWay(
  { mqtt }: MusterProcess,
  identities: readonly Identity[],
  used: Used,
  count: () => Promise<number>,
): Promise<Measured> {
  const sessions = await openAll(mqtt, identities);
  const paced = (seconds: number) => publishPaced(sessions, { perSecond: PER_SECOND, until: seconds });
  await paced(WARM_UP_SECONDS);
  await sleep(1_000);
  const atRate = await measured(used, count, async () => {
    const delaysMs = await paced(SECONDS);
    return { count: delaysMs.length, delaysMs };
  });
  await closeAll(sessions);
  const again = await openAll(mqtt, identities);
  const most = await measured(used, count, () => fullLoad(again));
  await closeAll(again);
  return { paced: atRate, most };
}

async function measured<T extends { count: number }>(used: Used, count: () => Promise<number>, work: () => Promise<T>) {
  const [before, started] = [used(), performance.now()];
  let done!: T;
  await publishUntilStored(count, async () => {
    done = await work();
    return done.count;
  });
  const after = used();
  return {
    ...done,
    seconds: (performance.now() - started) / 1000,
    serverMs: after.serverMs - before.serverMs,
    databaseMs: after.databaseMs - before.databaseMs,
    natsMs: after.natsMs - before.natsMs,
  };
}

async function fullLoad(sessions: readonly Session[]) {
  const from = Date.now() - 2 * HOUR_MS + (runs++ * HOUR_MS) / 10;
  const started = performance.now();
  const publisher = publishOnAll(sessions, { window: 10, from });
  await sleep(SECONDS * 1000);
  const count = await publisher.finish();
  return { count, acknowledgedPerSecond: (count * 1000) / (performance.now() - started) };
}

function figuresOf(all: ReadonlyMap<Way, readonly Measured[]>): Figure[] {
  const row = (name: string, unit: string, of: (each: Measured) => number, text?: string): Figure => {
    const [direct, stream] = WAYS.map((way) => {
      const values = all.get(way)!.map(of);
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    });
    return figure(`${name}, stream`, stream!, unit, beside("direct", direct), text === undefined ? {} : note(text));
  };
  const us = (load: Load, part: "serverMs" | "databaseMs" | "natsMs") => (load[part] * 1000) / load.count;
  const atRate = `${PER_SECOND.toLocaleString("en-US")} messages/s of ${DEVICES} devices`;
  return [
    row("acknowledgement, p50", "ms", ({ paced }) => percentile(paced.delaysMs, 0.5), atRate),
    row("acknowledgement, p99", "ms", ({ paced }) => percentile(paced.delaysMs, 0.99), atRate),
    row("server CPU a message", "µs", ({ paced }) => us(paced, "serverMs"), atRate),
    row("database CPU a message", "µs", ({ paced }) => us(paced, "databaseMs"), atRate),
    row("NATS CPU a message", "µs", ({ paced }) => us(paced, "natsMs"), `${atRate}; three servers together`),
    row("messages acknowledged", "/s", ({ most }) => most.acknowledgedPerSecond),
    row("messages stored", "/s", ({ most }) => most.count / most.seconds, "until the last one is stored"),
    row("server CPU a message at most", "µs", ({ most }) => us(most, "serverMs")),
    row("database CPU a message at most", "µs", ({ most }) => us(most, "databaseMs")),
    row("NATS CPU a message at most", "µs", ({ most }) => us(most, "natsMs")),
  ];
}
