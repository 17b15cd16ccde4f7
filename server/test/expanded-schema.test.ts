/**
 * A rolling upgrade, as the nodes of the earlier version meet it: the schema grows under a running service. Statements that were prepared before, functions
 * and triggers must go on, whatever columns a later version adds.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import type mqtt from "mqtt";
import { SCOPES } from "../src/access/access.ts";
import type { PublicRoute } from "../src/api/route.ts";
import { routes } from "../src/api/routes.ts";
import { onPostgres } from "./harness/database.ts";
import {
  closed,
  connectMqtt,
  enrollDevice,
  newKey,
  newTenant,
  type TestDevice,
  type TestTenant,
} from "./harness/devices.ts";
import { https } from "./harness/https.ts";
import { oneOfEach } from "./harness/one-of-each.ts";
import { startServer, type TestServer } from "./harness/server.ts";

/** Enough for statements to be prepared on several connections, and for PostgreSQL to decide on generic plans. */
const TURNS_BEFORE = 3;
const DEVICES = 20;
const publicRoutes = routes.filter((route): route is PublicRoute => route.surface === "public");

let server: TestServer;
let tenant: TestTenant;
let key: string;
before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  key = await newKey(server, tenant, ...SCOPES);
});
after(() => server.stop());

/** A record of each kind is made and read, a device enrolls, connects and publishes, and the jobs have their turn. */
async function useEverything(): Promise<void> {
  const { app, clock } = server;
  const records = await oneOfEach(server, tenant);
  for (const route of publicRoutes.filter(({ method }) => method === "GET")) {
    // Not further than certificates are valid before they are issued: TLS has the real time.
    clock.advance(500);
    const [, , , kind] = route.path.split("/");
    if (route.path.endsWith("/events")) continue;
    const url = `${server.httpUrl}${records.path(route, records.ids[kind!])}`;
    const { status, text } = await https(url, { ca: server.ca, headers: { "x-api-key": key } });
    assert.equal(status, 200, `${route.operationId}: ${text}`);
  }
  const { device } = records;
  const client = await connectMqtt(server, device, { clean: false });
  await client.publishAsync(device.topic, JSON.stringify({ temperature: 95 }), { qos: 1 });
  await client.endAsync();
  await app.connections.flush();
  await app.connections.beatNow();
  await app.notifications.runDue();
  await app.telemetry.rollUp();
  await app.rules.pollSilence();
  const { items } = await app.certificates.listCertificates(tenant.caller, {
    deviceId: device.deviceId,
    skip: 0,
    limit: 1,
  });
  await app.enrollment.revokeCertificate(tenant.caller, items[0]!.id);
  // Heartbeats have the time of the database, not that of the test.
  const { checks } = await app.doctor.examine({ deep: true });
  const broken = checks.filter(({ ok, level, name }) => !ok && level === "must" && !name.includes("heartbeat"));
  assert.deepEqual(broken, []);
}

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
  for (let turn = 0; turn < TURNS_BEFORE; turn++) await useEverything();
  await expand();
  await useEverything();
  await useEverything();
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
