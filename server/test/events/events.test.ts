import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TenantEvent } from "../../src/events/events.ts";
import { HOUR, MINUTE } from "../../src/lib/clock.ts";
import { addAnomaly, sendValues } from "../harness/anomalies.ts";
import { onPostgres } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { connectMqtt, enrollDevice, newTenant, renew, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { collector } from "./collector.ts";
import { changesRules } from "./suite-changes.ts";
import { liveRules } from "./suite-live.ts";

let server: TestServer;
/** Another process on the same database, or the same process on the embedded database, which has only one. */
let second: TestServer;
before(async () => {
  server = await startServer();
  second = onPostgres ? await startServer({ share: server }) : server;
});
after(async () => {
  if (second !== server) await second.stop();
  await server.stop();
});

const kinds = (events: TenantEvent[]) => events.map(({ kind }) => kind);

async function deviceWithAnomaly(tenant: TestTenant, at = server) {
  const { id } = await at.app.devices.createDevice(tenant.caller, { name: "Pump" });
  const where = { database: at.app.database, clock: at.clock };
  return { id, anomalyId: await addAnomaly(where, tenant.caller, id, 95), where };
}

test("the events of a tenant arrive in order, with the device and the fields that a screen shows", async () => {
  const tenant = await newTenant(server);
  const { events, anomalies, tickets } = server.app;
  const start = await events.cursorNow();
  const { id, anomalyId, where } = await deviceWithAnomaly(tenant);
  const anomaly = await anomalies.getAnomaly(tenant.caller, anomalyId);
  await sendValues(where, tenant.caller, id, { temperature: 96 });
  await anomalies.acknowledgeAnomaly(tenant.caller, anomalyId, "on my way");
  const ticket = await tickets.openTicket(tenant.caller, { title: "Replace it", anomalyId });
  await tickets.changeTicket(tenant.caller, ticket.id, { title: "Replace the bearing" });
  await tickets.changeTicket(tenant.caller, ticket.id, { title: "Replace the bearing" });
  await tickets.changeTicket(tenant.caller, ticket.id, { status: "in_progress" });
  await sendValues(where, tenant.caller, id, { temperature: 20 });

  let page = await events.readEvents(tenant.caller.tenantId, start, 100);
  // An event is readable once no older transaction of the PostgreSQL cluster is open.
  while (!kinds(page.events).includes("anomaly.resolved")) {
    page = await events.readEvents(tenant.caller.tenantId, start, 100);
  }
  assert.deepEqual(kinds(page.events), [
    "anomaly.opened",
    "anomaly.acknowledged",
    "ticket.opened",
    "ticket.edited",
    "ticket.changed",
    "anomaly.resolved",
  ]);
  for (const event of page.events) assert.deepEqual([event.deviceId, event.at], [id, server.clock.now()]);
  const [opened, acknowledged] = page.events;
  assert.deepEqual(
    [opened!.kind, opened!.data],
    [
      "anomaly.opened",
      {
        anomalyId,
        thresholdId: anomaly.thresholdId,
        ruleId: anomaly.ruleId,
        metric: "temperature",
        value: 95,
        limit: 90,
        severity: "major",
        status: "open",
        message: anomaly.message,
        acknowledgedBy: null,
        comment: null,
        resolvedBy: null,
      },
    ],
  );
  assert.ok(acknowledged?.kind === "anomaly.acknowledged" && acknowledged.data.comment === "on my way");
  const rest = await events.readEvents(tenant.caller.tenantId, opened!.cursor, 2);
  assert.deepEqual([kinds(rest.events), rest.more], [["anomaly.acknowledged", "ticket.opened"], "ready"]);
  assert.deepEqual((await events.readEvents(tenant.caller.tenantId, page.cursor, 100)).events, []);
  const other = await newTenant(server);
  assert.deepEqual((await events.readEvents(other.caller.tenantId, start, 100)).events, []);
});

test("connects, disconnects and certificates are events; repeated use of a superseded certificate is one event", async () => {
  const tenant = await newTenant(server);
  const { events, database } = server.app;
  const start = await events.cursorNow();
  const device = await enrollDevice(server, tenant);
  const seen = collector<TenantEvent>();
  const follower = await events.subscribe(tenant.caller.tenantId, { after: start }, seen.handler);
  const client = await connectMqtt(server, device);
  await seen.count(2);
  client.end();
  await seen.count(3);
  assert.equal((await renew(server, device)).answer.status, 200);
  await seen.count(4);
  for (let n = 0; n < 3; n++) await assert.rejects(connectMqtt(server, device));
  await runSql(
    database.db,
    `INSERT INTO device_findings (id, tenant_id, device_uid, kind, certificate_id, at)
     SELECT gen_random_uuid(), tenant_id, device_uid, 'shared_key', id, now() FROM certificates WHERE device_id = $1
      LIMIT 1`,
    [device.deviceId],
  );
  await seen.count(6);
  await follower.stop();
  const received = kinds(seen.got);
  assert.deepEqual(received.slice(0, 3), ["certificate.enrolled", "device.online", "device.offline"]);
  assert.deepEqual(received.slice(3).sort(), [
    "certificate.renewed",
    "certificate.superseded_tried",
    "finding.shared_key",
  ]);
  for (const { deviceId } of seen.got) assert.equal(deviceId, device.deviceId);
});

test("a subscription is woken by another process, omits other kinds, and resumes from its cursor", async () => {
  const tenant = await newTenant(server);
  const { events } = server.app;
  const seen = collector<TenantEvent>();
  const first = await events.subscribe(tenant.caller.tenantId, { kinds: ["anomaly.", "ticket.opened"] }, seen.handler);
  const one = await deviceWithAnomaly(tenant, second);
  await seen.count(1);
  await first.stop();
  await second.app.anomalies.acknowledgeAnomaly(tenant.caller, one.anomalyId);
  await second.app.tickets.openTicket(tenant.caller, { title: "x" });
  const again = await events.subscribe(
    tenant.caller.tenantId,
    { after: first.cursor, kinds: ["anomaly."] },
    seen.handler,
  );
  await seen.count(2);
  await again.stop();
  assert.deepEqual(kinds(seen.got), ["anomaly.opened", "anomaly.acknowledged"]);
});

if (onPostgres) {
  test("a reader misses nothing of a slow transaction that a fast one overtakes, and reads nothing twice", async () => {
    const tenant = await newTenant(server);
    const { events, database } = server.app;
    const { tenantId } = tenant.caller;
    const insert = `INSERT INTO events (tenant_id, at, changed_table, operation, changed_row)
      VALUES ($1, now(), 'tickets', 'INSERT', jsonb_build_object('title', $2::text))`;
    const titles = (events: TenantEvent[]) =>
      events.map(({ kind, data }) => (kind === "ticket.opened" ? data.title : kind));
    const start = await events.cursorNow();
    const seen = collector<TenantEvent>();
    const follower = await events.subscribe(tenantId, { after: start }, seen.handler);
    const paged: string[] = [];
    let cursor = start;
    const page = async () => {
      const next = await events.readEvents(tenantId, cursor, 2);
      paged.push(...titles(next.events));
      cursor = next.cursor;
      return next.more;
    };
    for (let round = 0; round < 20; round++) {
      await database.db.transaction().execute(async (slow) => {
        await runSql(slow, insert, [tenantId, `slow ${round}`]);
        await runSql(second.app.database.db, insert, [tenantId, `fast ${round}`]);
        assert.equal(await page(), "delayed");
      });
      while ((await page()) !== "none");
    }
    await seen.count(40);
    await follower.stop();
    const all = Array.from({ length: 20 }, (_, round) => [`slow ${round}`, `fast ${round}`]).flat();
    assert.deepEqual(paged, all);
    assert.deepEqual(titles(seen.got), all);
  });
}

test("a failing handler ends its subscription with its error, and the cursor stays before the events of that batch", async () => {
  const tenant = await newTenant(server);
  const { events } = server.app;
  const failing = await events.subscribe(tenant.caller.tenantId, {}, () => Promise.reject(new Error("full")));
  await deviceWithAnomaly(tenant);
  await assert.rejects(failing.ended, /full/);
  const { events: again } = await readSome(tenant.caller.tenantId, failing.cursor);
  assert.deepEqual(kinds(again), ["anomaly.opened"]);
});

describe("live", () => liveRules(() => ({ server, second })));
describe("changed telemetry", () => changesRules(() => ({ server, second })));

/** Reads until there are events: an event is readable once no older transaction of the PostgreSQL cluster is open. */
async function readSome(tenantId: string, after: string) {
  for (;;) {
    const read = await server.app.events.readEvents(tenantId, after, 10);
    if (read.events.length > 0) return read;
  }
}

test("events are deleted after 48 hours, an older cursor has expired, and an invalid cursor is refused", async () => {
  const tenant = await newTenant(server);
  const quiet = await newTenant(server);
  const { events } = server.app;
  const { tenantId } = tenant.caller;
  const start = await events.cursorNow();
  const { anomalyId } = await deviceWithAnomaly(tenant);
  server.clock.advance(48 * HOUR - MINUTE);
  await events.prune();
  const { events: kept, cursor } = await readSome(tenantId, start);
  assert.deepEqual(kinds(kept), ["anomaly.opened"]);
  const { cursor: ofQuiet } = await events.readEvents(quiet.caller.tenantId, start, 10);
  await server.app.anomalies.acknowledgeAnomaly(tenant.caller, anomalyId);
  server.clock.advance(2 * MINUTE);
  await events.prune();
  const ofAnotherDatabase = "999999999999.0";
  for (const lost of [start, ofAnotherDatabase])
    await assert.rejects(events.readEvents(tenantId, lost, 10), { code: "cursor_expired" });
  assert.deepEqual((await events.readEvents(quiet.caller.tenantId, ofQuiet, 10)).events, []);
  assert.deepEqual(kinds((await readSome(tenantId, cursor)).events), ["anomaly.acknowledged"]);
  for (const wrong of ["", "1", "1.2.3", "a.b", "-1.0", "1.".padEnd(40, "9")])
    await assert.rejects(events.readEvents(tenantId, wrong, 10), { code: "invalid_request" });
});
