import type { TLSSocket } from "node:tls";
import { closeMqtt, openAll } from "../load/mqtt-client.ts";
import { publish } from "../load/publisher.ts";
import { METRICS, QUIET, removeRules } from "../load/rules.ts";
import { cpuMs, sleep } from "../measure.ts";
import type { BareBroker } from "../peers/bare-broker.ts";
import type { IngestEngine } from "../peers/ingest-engine.ts";
import type { MusterProcess } from "../peers/muster.ts";
import type { Figure } from "../report.ts";
import type { Redemptions } from "./enrollment/redemption.ts";

/** How many devices send; all of them are connected throughout. */
const FLEETS = [10, 1000, 10_000] as const;
export const DEVICES = 10_000;
/** Messages in flight: of a device, and at least so many of all devices together, so that few devices load the server too. */
const WINDOW = 10;
const UNDER_WAY = 4000;
const WARM_UP_SECONDS = 2;
const SECONDS = 6;
/**
 * Each run has later times than the runs before, a millisecond a message of a device: readings older than the newest one are stored, but rules do
 * not evaluate them, and those of a time that is stored already replace others. So the times are a little ahead of the clock; an hour behind it,
 * whole hours would be rolled up again, which is other work.
 */
const APART_MS = 30_000;
let lastTime = 0;

interface Measured {
  readonly acknowledged: number;
  readonly perSecond: number;
  readonly cpuUs: number;
  /** What the database has of it: its CPU time a message, and the bytes that it logs. */
  readonly database: string;
}

export interface IngestResult {
  readonly figures: Figure[];
  /** Readings that the database must contain now. */
  readonly readings: number;
}

/**
 * Messages of three metrics from the socket to the committed row, with five rules evaluated a device, as the fleet grows. The peer
 * is naive ingest: a statement and a commit a reading, and a query for the rules of each message. The rules are removed at the end.
 */
export async function ingest(
  muster: MusterProcess,
  engine: IngestEngine,
  { identities, deviceTypeId }: Pick<Redemptions, "identities" | "deviceTypeId">,
): Promise<IngestResult> {
  const sockets = await openAll(muster.mqtt, identities.slice(0, DEVICES));
  const load = (devices: number) =>
    measured(muster, engine, sockets.slice(0, devices), (index) => identities[index]!.topic);
  const results: Measured[] = [];
  for (const devices of FLEETS) results.push(await load(devices));
  removeRules(muster, deviceTypeId);
  const plain = await load(1000);
  await Promise.all(sockets.map(closeMqtt));
  const naive = await engine.naive();
  const [few, some] = results as [Measured, Measured, Measured];
  return {
    figures: [
      ...results.flatMap((result, index) => rowsOf(result, FLEETS[index]!, engine, naive, few)),
      {
        name: `CPU of five rules, ${engine.name}`,
        value: some.cpuUs,
        unit: "µs",
        peer: { name: "without rules", value: plain.cpuUs },
      },
    ],
    readings: [plain, ...results].reduce((sum, { acknowledged }) => sum + acknowledged, 0) * METRICS,
  };
}

function rowsOf(
  { perSecond, cpuUs, database }: Measured,
  devices: number,
  engine: IngestEngine,
  naive: { perSecond: number; cpuUs: number },
  few: Measured,
): Figure[] {
  const where = `${devices.toLocaleString("en-US")} devices, ${engine.name}`;
  return [
    {
      name: `messages stored and evaluated, ${where}`,
      value: perSecond,
      unit: "/s",
      peer: { name: "a statement a reading", value: naive.perSecond },
      target: { of: "value", atLeast: engine.target.perSecond },
    },
    {
      name: `CPU a message, ${where}`,
      value: cpuUs,
      unit: "µs",
      peer:
        devices === FLEETS[0]
          ? { name: "a statement a reading", value: naive.cpuUs }
          : { name: `${FLEETS[0]} devices`, value: few.cpuUs },
      note: database,
      ...(engine.target.cpuUs === undefined ? {} : { target: { of: "value", atMost: engine.target.cpuUs } }),
    },
  ];
}

/** CPU of the server and its database together. */
async function measured(
  muster: MusterProcess,
  engine: IngestEngine,
  sockets: readonly TLSSocket[],
  topicOf: (index: number) => string,
): Promise<Measured> {
  const { acknowledged, perSecond, each } = await published(sockets, topicOf, async () => ({
    serverMs: cpuMs(muster.pid),
    databaseMs: engine.cpuMs(),
    logBytes: (await engine.logBytes?.()) ?? 0,
  }));
  return {
    acknowledged,
    perSecond,
    cpuUs: (each("serverMs") + each("databaseMs")) * 1000,
    database: engine.logBytes
      ? `database ${(each("databaseMs") * 1000).toFixed(1)} µs and ${each("logBytes").toFixed(0)} bytes of its log`
      : "the database is part of the server",
  };
}

/** The floor: what the same messages cost a server that only acknowledges them. */
export async function acknowledgedOnly(bare: BareBroker): Promise<Figure[]> {
  const identities = await bare.newIdentities(DEVICES);
  const sockets = await openAll(bare.target, identities);
  const figures: Figure[] = [];
  for (const devices of FLEETS) {
    const use = async () => ({ serverMs: cpuMs(bare.pid) });
    const { each } = await published(sockets.slice(0, devices), (index) => identities[index]!.topic, use);
    const name = `CPU of a message only acknowledged, ${devices.toLocaleString("en-US")} devices, bare Node TLS`;
    figures.push({ name, value: each("serverMs") * 1000, unit: "µs" });
  }
  await Promise.all(sockets.map(closeMqtt));
  return figures;
}

/** Publishes on all `sockets` at once. @param use what has been used so far; `each` is what was used a message between two of its readings */
async function published<Use extends Record<string, number>>(
  sockets: readonly TLSSocket[],
  topicOf: (index: number) => string,
  use: () => Promise<Use>,
): Promise<{ acknowledged: number; perSecond: number; each(what: keyof Use): number }> {
  const from = Math.max(Date.now(), lastTime) + APART_MS;
  const window = Math.max(WINDOW, Math.ceil(UNDER_WAY / sockets.length));
  const publishers = sockets.map((socket, index) => publish(socket, topicOf(index), window, from, QUIET));
  const acknowledged = () => publishers.reduce((sum, each) => sum + each.acknowledged, 0);
  const now = async () => ({ count: acknowledged(), use: await use(), at: performance.now() });
  await sleep(WARM_UP_SECONDS * 1000);
  const before = await now();
  await sleep(SECONDS * 1000);
  const after = await now();
  const count = after.count - before.count;
  const all = await Promise.all(publishers.map((each) => each.finish()));
  lastTime = from + Math.max(...all);
  return {
    acknowledged: all.reduce((sum, each) => sum + each, 0),
    perSecond: (count * 1000) / (after.at - before.at),
    each: (what) => (after.use[what]! - before.use[what]!) / count,
  };
}
