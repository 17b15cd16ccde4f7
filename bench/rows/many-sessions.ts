import { sql } from "kysely";
import { until } from "../../load/measure.ts";
import { type Database, openDatabase } from "../../server/src/db/database.ts";
import type { Features } from "../../server/src/features.ts";
import { addMs, HOUR, systemClock } from "../../server/src/lib/clock.ts";
import { randomIds } from "../../server/src/lib/ids.ts";
import { createLogger } from "../../server/src/lib/logger.ts";
import { benchFeatures } from "../fixtures/features.ts";
import { unlimited } from "../fixtures/telemetry-history.ts";
import { type Figure, figure, note } from "../report.ts";
import { progress, setting } from "../run.ts";
import { onPostgres } from "../site.ts";

const SESSIONS = setting("sessions", 200_000);
const AT_ONCE = 512;
const PATIENCE_SECONDS = 300;
const TYPE = { name: "Pump", publishTopics: ["telemetry/{deviceId}"], silentForSeconds: 600 };

interface Node {
  features: Features;
  database: Database;
  id: string;
}

/** Very many sessions that change at once, in the tables: all of a node are taken over, then reaped; all devices fall silent. */
export async function manySessions(): Promise<Figure[]> {
  return await onPostgres(({ url }) => measured(url));
}

async function measured(url: string): Promise<Figure[]> {
  let passedMs = 0;
  const clock = { ...systemClock, now: () => addMs(systemClock.now(), passedMs) };
  const nodes = [await startNode(url, clock), await startNode(url, clock)] as const;
  try {
    const [first, second] = nodes;
    const devices = await fill(first);
    const figures = await takenOver(second, first, devices);
    // As if its process had ended: otherwise it would restore its sessions.
    await second.database.close();
    figures.push(await reaped(first, second));
    passedMs = HOUR;
    figures.push(await silent(first));
    return figures;
  } finally {
    await Promise.allSettled(nodes.map(({ database }) => database.close()));
  }
}

async function startNode(url: string, clock: typeof systemClock): Promise<Node> {
  const logger = createLogger("silent");
  const database = await openDatabase({ url, dataDir: "none", logger });
  const { features } = await benchFeatures(database, clock);
  return { features, database, id: await features.connections.startNode() };
}

interface Device {
  uid: string;
  id: string;
  tenantId: string;
}

/** Creates online devices with a session at the node. */
async function fill({ features, database, id }: Node): Promise<Device[]> {
  progress(`${SESSIONS} devices and sessions are made`);
  await features.access.createTenant({ slug: "many", name: "Many" });
  const caller = await features.access.systemCaller("many");
  const type = await features.devices.createDeviceType(caller, TYPE);
  await unlimited(
    database,
    sql`INSERT INTO devices (uid, tenant_id, id, name, device_type_id, connectivity, connectivity_since, last_seen_at, created_at, updated_at)
        SELECT gen_random_uuid(), ${caller.tenantId}, 'pump-' || n, 'Pump', ${type.id}, 'online', now(), now(), now(), now()
          FROM generate_series(1, ${SESSIONS}::int) n`,
  );
  await unlimited(
    database,
    sql`INSERT INTO mqtt_sessions (client_id, session_id, seq, node_id, tenant_id, device_uid, remote_address, connected_at)
        SELECT id, gen_random_uuid(), nextval('mqtt_session_seq'), ${id}, tenant_id, uid, '127.0.0.1', now() FROM devices`,
  );
  const { rows } = await sql<Device>`SELECT uid, id, tenant_id AS "tenantId" FROM devices`.execute(database.db);
  return rows;
}

async function takenOver(by: Node, from: Node, devices: readonly Device[]): Promise<Figure[]> {
  progress("the sessions are taken over");
  const started = performance.now();
  const waiting = [...devices];
  const open = async () => {
    for (let device = waiting.pop(); device !== undefined; device = waiting.pop())
      await by.features.connections.openSession({
        sessionId: randomIds.uuid(systemClock.now()),
        clientId: device.id,
        tenantId: device.tenantId,
        deviceUid: device.uid,
        certificateId: null,
        mqttClientId: null,
        remoteAddress: "127.0.0.1",
      });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, open));
  const openedSeconds = seconds(started);
  const open_ = sql<{ n: number }>`SELECT count(*)::int AS n FROM session_drops d WHERE d.node_id = ${from.id}
    AND NOT EXISTS (SELECT FROM session_drop_acks a WHERE a.seq = d.seq)`;
  await until("the drops", PATIENCE_SECONDS, async () => (await open_.execute(from.database.db)).rows[0]!.n === 0);
  const text = `all closed at the other node ${(seconds(started) - openedSeconds).toFixed(1)} s after the last was opened`;
  await by.features.connections.flush();
  return [figure(`${SESSIONS} sessions taken over by another node`, openedSeconds, "s", note(text))];
}

async function reaped(by: Node, node: Node): Promise<Figure> {
  progress("their node is reaped");
  const started = performance.now();
  await by.features.connections.reapNode(node.id);
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM mqtt_sessions`.execute(by.database.db);
  if (rows[0]!.n > 0) throw new Error(`${rows[0]!.n} sessions were not removed`);
  return figure(`a node with ${SESSIONS} sessions reaped`, seconds(started), "s");
}

async function silent({ features, database }: Node): Promise<Figure> {
  progress("the devices fall silent");
  const started = performance.now();
  const open = sql<{ n: number }>`SELECT count(*)::int AS n FROM anomalies WHERE resolved_at IS NULL`;
  let polls = 0;
  await until("the anomalies", PATIENCE_SECONDS, async () => {
    polls++;
    await features.rules.pollSilence();
    const { rows } = await open.execute(database.db);
    return rows[0]!.n === SESSIONS;
  });
  return figure(`${SESSIONS} devices found silent`, seconds(started), "s", note(`${polls} polls`));
}

const seconds = (since: number) => (performance.now() - since) / 1000;
