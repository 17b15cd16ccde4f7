import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { closeMqtt, openAll } from "../load/mqtt-client.ts";
import { publish } from "../load/publisher.ts";
import { cpuMs, sleep, until } from "../measure.ts";
import type { Mosquitto } from "../peers/mosquitto.ts";
import { query } from "../peers/postgres.ts";
import type { Figure } from "../report.ts";
import type { BrokerUnderLoad } from "./connect.ts";

/** One client may send 100 messages a second, so it takes this many to load the server. */
const CLIENTS = 800;
const WINDOW = 10;
const SECONDS = 6;
const HOUR_MS = 3_600_000;
/** Each run has later times than the runs before: readings older than the newest one are stored, but rules do not evaluate them. */
let runs = 0;

interface Stored {
  readonly perSecond: number;
  readonly cpuUs: number;
}

/**
 * Acknowledged QoS 1 messages, counted as rows in PostgreSQL; the time ends when the last row is there.
 * The peer: Mosquitto, and a process that subscribes to everything and inserts in batches into the same PostgreSQL.
 */
export async function storedMessages(
  muster: BrokerUnderLoad,
  databaseUrl: string,
  peer: { mosquitto: Mosquitto; load: BrokerUnderLoad } | undefined,
): Promise<Figure[]> {
  const ours = await stored(muster, () => rows(databaseUrl, "telemetry"), [muster.pid]);
  const theirs = peer && (await withSubscriber(peer, databaseUrl));
  const compared = (of: (result: Stored) => number) =>
    theirs === undefined ? {} : { peer: { name: "Mosquitto + subscriber", value: of(theirs) } };
  return [
    {
      name: "QoS 1 messages stored",
      value: ours.perSecond,
      unit: "/s",
      ...compared(({ perSecond }) => perSecond),
      target: { of: "value", atLeast: 20_000 },
      note: "ours also keeps the latest value of each metric and acknowledges only what is committed; the peer does neither",
    },
    { name: "server CPU a stored message", value: ours.cpuUs, unit: "µs", ...compared(({ cpuUs }) => cpuUs) },
  ];
}

/** @param count reads the number of stored messages */
async function stored(
  { target, identities }: BrokerUnderLoad,
  count: () => Promise<number>,
  pids: readonly number[],
): Promise<Stored> {
  const devices = identities.slice(0, CLIENTS);
  const sockets = await openAll(target, devices);
  const cpu = () => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const [before, cpuBefore, started] = [await count(), cpu(), performance.now()];
  const from = Date.now() - 2 * HOUR_MS + (runs++ * HOUR_MS) / 10;
  const publishers = sockets.map((socket, index) => publish(socket, devices[index]!.topic, WINDOW, from));
  await sleep(SECONDS * 1000);
  const sent = (await Promise.all(publishers.map((each) => each.finish()))).reduce((sum, each) => sum + each, 0);
  // Fails after a minute when an acknowledged message is missing.
  await until(
    "every acknowledged message in the database",
    60,
    async () => (await count()) - before >= sent || undefined,
  );
  const seconds = (performance.now() - started) / 1000;
  const cpuUs = ((cpu() - cpuBefore) * 1000) / sent;
  await Promise.all(sockets.map(closeMqtt));
  return { perSecond: sent / seconds, cpuUs };
}

async function rows(databaseUrl: string, table: string): Promise<number> {
  const [row] = await query<{ count: string }>(databaseUrl, `SELECT count(*) FROM ${table}`);
  return Number(row!.count);
}

async function withSubscriber(
  { mosquitto, load }: { mosquitto: Mosquitto; load: BrokerUnderLoad },
  databaseUrl: string,
): Promise<Stored> {
  await query(
    databaseUrl,
    `CREATE TABLE peer_telemetry (device_id text, metric text, ts timestamptz, number float8,
       PRIMARY KEY (device_id, metric, ts))`,
  );
  const subscriber = await startSubscriber(mosquitto.plainPort, databaseUrl);
  try {
    return await stored(load, () => rows(databaseUrl, "peer_telemetry"), [mosquitto.pid, subscriber.pid!]);
  } finally {
    subscriber.kill();
  }
}

function startSubscriber(port: number, databaseUrl: string): Promise<ChildProcess> {
  const script = join(import.meta.dirname, "../peers/storing-subscriber.ts");
  const child = spawn(process.execPath, [script, String(port), databaseUrl], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.stdout.once("data", () => resolve(child));
    child.once("exit", (code) => reject(new Error(`the storing subscriber ended with ${code}`)));
  });
}
