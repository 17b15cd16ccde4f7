import { join } from "node:path";
import { type Load, type Meter, measured, sleep, until } from "../../load/measure.ts";
import { closeAll, openAll } from "../../load/mqtt-client.ts";
import { query } from "../../load/postgres.ts";
import { cpuMs, end, startProgram } from "../../load/processes.ts";
import { type Messages, publishOnAll } from "../../load/publisher.ts";
import type { Mosquitto } from "../peers/mosquitto.ts";
import { atLeast, beside, bothMs, divided, type Figure, figure, note, rate, serverMs } from "../report.ts";
import type { PostgresSite } from "../site.ts";
import type { BrokerUnderLoad } from "./connect.ts";

/** A client may send 100 messages a second, so it takes this many to load the server. */
const CLIENTS = 800;
const SECONDS = 6;
const HOUR_MS = 3_600_000;
const ONE_METRIC = '{"temperature":21.5}';

/**
 * Acknowledged QoS 1 messages, counted as rows in PostgreSQL; the time ends when the last row is there. The peer:
 * Mosquitto, and a process that subscribes to everything and inserts in batches into the same PostgreSQL.
 */
export async function storedMessages(
  muster: BrokerUnderLoad,
  site: Pick<PostgresSite, "url" | "databaseMs">,
  peer: (BrokerUnderLoad & Pick<Mosquitto, "plainPort">) | undefined,
): Promise<Figure[]> {
  const ours = await stored(muster, () => rows(site.url, "telemetry_messages"), muster.meter);
  const theirs = peer && (await withSubscriber(peer, site));
  const compared = (of: (load: Load) => number) => beside("Mosquitto + subscriber", theirs && of(theirs));
  const us = (of: (load: Load) => number) => (load: Load) => of(load) * 1000;
  const more =
    "ours also keeps the latest value of each metric and acknowledges only after the commit; the peer does neither";
  const both = "CPU a stored message, server and database";
  return [
    figure("QoS 1 messages stored", rate(ours), "/s", compared(rate), atLeast(20_000), note(more)),
    figure("server CPU a stored message", us(serverMs)(ours), "µs", compared(us(serverMs))),
    figure(both, us(bothMs)(ours), "µs", divided(ours, "µs"), compared(us(bothMs))),
  ];
}

/** @param count reads the number of stored messages */
async function stored({ target, identities }: BrokerUnderLoad, count: () => Promise<number>, meter: Meter) {
  const sessions = await openAll(target, identities.slice(0, CLIENTS));
  const load = await measured(meter, () =>
    publishUntilStored(count, async () => {
      const from = Date.now() - 2 * HOUR_MS;
      const publisher = publishOnAll(sessions, { window: 10, from, values: ONE_METRIC } satisfies Messages);
      await sleep(SECONDS * 1000);
      return await publisher.finish();
    }),
  );
  await closeAll(sessions);
  return load;
}

/** Publishes by `work`, which returns how many messages were acknowledged, and waits until all of them are stored. */
export async function publishUntilStored(count: () => Promise<number>, work: () => Promise<number>): Promise<number> {
  const before = await count();
  const sent = await work();
  // Fails when an acknowledged message is missing.
  const isStored = async () => (await count()) - before >= sent || undefined;
  await until("every acknowledged message in the database", 120, isStored);
  return sent;
}

/** Counts the rows of a table. */
export async function rows(databaseUrl: string, table: string): Promise<number> {
  const [row] = await query<{ count: string }>(databaseUrl, `SELECT count(*) FROM ${table}`);
  return Number(row!.count);
}

async function withSubscriber(
  peer: BrokerUnderLoad & Pick<Mosquitto, "plainPort">,
  { url, databaseMs }: Pick<PostgresSite, "url" | "databaseMs">,
): Promise<Load> {
  const columns = "device_id text, metric text, ts timestamptz, number float8, PRIMARY KEY (device_id, metric, ts)";
  await query(url, `CREATE TABLE peer_telemetry (${columns})`);
  const file = join(import.meta.dirname, "../peers/storing-subscriber.ts");
  const { child } = await startProgram(file, { args: [String(peer.plainPort), url], pattern: /^subscribed$/m });
  const meter = () => ({ serverMs: cpuMs(peer.pid) + cpuMs(child.pid!), databaseMs: databaseMs() });
  return await stored(peer, () => rows(url, "peer_telemetry"), meter).finally(() => end(child));
}
