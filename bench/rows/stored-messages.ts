import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { closeMqtt, openAll } from "../load/mqtt-client.ts";
import { publish } from "../load/publisher.ts";
import { cpuMs, type Load, type Meter, sleep, startMeter, until } from "../measure.ts";
import type { Mosquitto } from "../peers/mosquitto.ts";
import { query } from "../peers/postgres.ts";
import { cpuFigure, type Figure } from "../report.ts";
import type { BrokerUnderLoad } from "./connect.ts";

/** One client may send 100 messages a second, so it takes this many to load the server. */
const CLIENTS = 800;
const WINDOW = 10;
const SECONDS = 6;
const HOUR_MS = 3_600_000;
/** Each run has later times than the runs before: readings older than the newest one are stored, but rules do not evaluate them. */
let runs = 0;

/**
 * Acknowledged QoS 1 messages, counted as rows in PostgreSQL; the time ends when the last row is there.
 * The peer: Mosquitto, and a process that subscribes to everything and inserts in batches into the same PostgreSQL.
 */
export async function storedMessages(
  muster: BrokerUnderLoad,
  database: { readonly url: string; readonly cpuMs: () => number },
  peer: { mosquitto: Mosquitto; load: BrokerUnderLoad } | undefined,
): Promise<Figure[]> {
  const ours = await stored(muster, () => rows(database.url, "telemetry_messages"), muster.cpu);
  const theirs = peer && (await withSubscriber(peer, database));
  const compared = (of: (load: Load) => number) =>
    theirs === undefined ? {} : { peer: { name: "Mosquitto + subscriber", value: of(theirs) } };
  const perSecond = ({ count, seconds }: Load) => count / seconds;
  const serverUs = ({ count, serverMs }: Load) => (serverMs * 1000) / count;
  const both = (load: Load) => cpuFigure("CPU a stored message, server and database", load, "µs");
  return [
    {
      name: "QoS 1 messages stored",
      value: perSecond(ours),
      unit: "/s",
      ...compared(perSecond),
      target: { of: "value", atLeast: 20_000 },
      note: "ours also keeps the latest value of each metric and acknowledges only what is committed; the peer does neither",
    },
    { name: "server CPU a stored message", value: serverUs(ours), unit: "µs", ...compared(serverUs) },
    { ...both(ours), ...compared((load) => both(load).value) },
  ];
}

/** @param count reads the number of stored messages */
async function stored(
  { target, identities }: BrokerUnderLoad,
  count: () => Promise<number>,
  cpu: Meter,
): Promise<Load> {
  const devices = identities.slice(0, CLIENTS);
  const sockets = await openAll(target, devices);
  const [before, used, started] = [await count(), startMeter(cpu), performance.now()];
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
  const load = { count: sent, seconds, ...used() };
  await Promise.all(sockets.map(closeMqtt));
  return load;
}

async function rows(databaseUrl: string, table: string): Promise<number> {
  const [row] = await query<{ count: string }>(databaseUrl, `SELECT count(*) FROM ${table}`);
  return Number(row!.count);
}

async function withSubscriber(
  { mosquitto, load }: { mosquitto: Mosquitto; load: BrokerUnderLoad },
  database: { readonly url: string; readonly cpuMs: () => number },
): Promise<Load> {
  await query(
    database.url,
    `CREATE TABLE peer_telemetry (device_id text, metric text, ts timestamptz, number float8,
       PRIMARY KEY (device_id, metric, ts))`,
  );
  const subscriber = await startSubscriber(mosquitto.plainPort, database.url);
  try {
    const serverMs = () => cpuMs(mosquitto.pid) + cpuMs(subscriber.pid!);
    const cpu = () => ({ serverMs: serverMs(), databaseMs: database.cpuMs() });
    return await stored(load, () => rows(database.url, "peer_telemetry"), cpu);
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
