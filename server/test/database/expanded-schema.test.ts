/**
 * A rolling upgrade, as the nodes of this version see it: a later version expands the schema under a running service.
 * Prepared statements, functions and triggers must go on, whatever columns it adds.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import type mqtt from "mqtt";
import { SCOPES } from "../../src/access/access.ts";
import { onPostgres } from "../harness/database/database.ts";
import {
  closed,
  connectMqtt,
  enrollDevice,
  newKey,
  newTenant,
  type TestDevice,
  type TestTenant,
} from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { useEverything } from "../harness/use-everything.ts";

/** Enough for statements to be prepared on several connections, and for PostgreSQL to decide on generic plans. */
const TURNS_BEFORE = 3;
const DEVICES = 20;

let server: TestServer;
let tenant: TestTenant;
let key: string;
before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  key = await newKey(server, tenant, ...SCOPES);
});
after(() => server.stop());

const use = () => useEverything(server, tenant, key);

async function expand(): Promise<void> {
  const { db } = server.app.database;
  const { rows } = await sql<{ name: string }>`
    SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`.execute(db);
  assert.ok(rows.length > 50);
  for (const { name } of rows) {
    await sql`ALTER TABLE ${sql.table(name)} ADD COLUMN of_a_later_version text DEFAULT 'later'`.execute(db);
  }
}

test("a running service goes on while a later version adds a column to every table", async () => {
  for (let turn = 0; turn < TURNS_BEFORE; turn++) await use();
  await expand();
  await use();
  await use();
});

/** How many messages the server has stored, by its own metrics. */
async function storedBy({ app }: TestServer): Promise<number> {
  const [, count = "0"] = /^muster_messages_total\{result="stored"\} (\d+)$/m.exec(await app.metrics.text()) ?? [];
  return Number(count);
}

test("devices move from a node that is drained to one of the later version, with every acknowledged message stored", async (t) => {
  // The embedded database has one process.
  if (!onPostgres) return;
  const later = await startServer({ share: server });
  t.after(() => later.stop());
  const devices = await Promise.all(Array.from({ length: DEVICES }, () => enrollDevice(server, tenant)));
  const [before, beforeLater] = [await storedBy(server), await storedBy(later)];
  const clients = await Promise.all(devices.map((device) => connectMqtt(server, device)));
  let acknowledged = 0;
  const publish = async (client: mqtt.MqttClient, { topic }: TestDevice, n: number) => {
    await client.publishAsync(topic, JSON.stringify({ n }), { qos: 1 });
    acknowledged++;
  };
  await Promise.all(clients.map((client, at) => publish(client, devices[at]!, 1)));
  const moved = clients.map(async (client, at) => {
    await closed(client);
    const device = devices[at]!;
    const again = await connectMqtt(later, device);
    await publish(again, device, 2);
    return again;
  });
  await later.app.connections.drainNodes(server.app.nodeId!);
  await server.app.connections.beatNow();
  const open = await Promise.all(moved);
  await server.app.connections.flush();
  const nodes = await later.app.connections.listNodes();
  const sessionsOf = (nodeId: string) => nodes.find(({ id }) => id === nodeId)!.sessions;
  assert.deepEqual([sessionsOf(server.app.nodeId!), sessionsOf(later.app.nodeId!)], [0, DEVICES]);
  assert.equal((await storedBy(server)) - before + (await storedBy(later)) - beforeLater, acknowledged);
  for (const { deviceId } of devices) {
    const [latest] = await later.app.telemetry.listLatest(tenant.caller, deviceId);
    assert.equal(latest?.value, 2);
  }
  await Promise.all(open.map((client) => client.endAsync(true)));
});
