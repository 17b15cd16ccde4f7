import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { listEvents } from "../../../src/api/v1/events.ts";
import { HOUR, SECOND } from "../../../src/lib/clock.ts";
import { addAnomaly } from "../../harness/anomalies.ts";
import { enrollDevice, newKey, newTenant, type TestDevice, type TestTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { isOf, openStream } from "../../harness/http/event-streams.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

/** `GET /api/v1/events/history`: the tenant's events by page. */
let server: TestServer;
let tenant: TestTenant;
let pump: TestDevice;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  pump = await enrollDevice(server, tenant);
});
after(() => server.stop());

interface Listed {
  items: { kind: string; deviceId: string; data: Record<string, unknown> }[];
  cursor: string;
  more: boolean;
}

const ask = (key: string, query: string) =>
  https(`${server.httpUrl}/api/v1/events/history?${query}`, { ca: server.ca, headers: { "x-api-key": key } });

async function page(key: string, query: string): Promise<Listed> {
  const { status, json, text } = await ask(key, query);
  assert.equal(status, 200, text);
  assert.doesNotThrow(() => listEvents.response!.parse(json));
  return json;
}

const open = ({ caller }: TestTenant, { deviceId }: TestDevice) =>
  addAnomaly({ database: server.app.database, clock: server.clock }, caller, deviceId);
const idsOf = ({ items }: Listed) => items.map(({ data }) => data.anomalyId);

/** Returns the page with these anomalies: events wait for older transactions, which other tests have in the cluster. */
async function whenListed(key: string, ids: string[]): Promise<Listed> {
  const listed = await eventually(async () => {
    server.clock.advance(SECOND);
    const next = await page(key, "kinds=anomaly.");
    return next.items.length >= ids.length && next;
  });
  assert.deepEqual(listed && idsOf(listed), ids);
  return listed!;
}

test("a program that keeps the cursor reads every event once, however writers and pages overlap", async () => {
  const key = await newKey(server, tenant, "events:read", "anomalies:read");
  const pumps = await Promise.all(Array.from({ length: 4 }, () => enrollDevice(server, tenant)));
  let { cursor } = await page(key, "kinds=anomaly.");
  const writers = pumps.map(async (device) => {
    const ids: string[] = [];
    for (let nth = 0; nth < 8; nth++) {
      ids.push(await open(tenant, device));
      await server.app.anomalies.acknowledgeAnomaly(tenant.caller, ids.at(-1)!);
    }
    return ids;
  });
  let isWriting = true;
  const written = Promise.all(writers).finally(() => {
    isWriting = false;
  });
  const read: string[] = [];
  for (;;) {
    const wasWriting = isWriting;
    // A key may send 120 requests a minute.
    server.clock.advance(SECOND);
    const next = await page(key, `kinds=anomaly.opened&limit=3&cursor=${cursor}`);
    read.push(...(idsOf(next) as string[]));
    const isCaughtUp = next.cursor === cursor || !next.more;
    cursor = next.cursor;
    if (!wasWriting && isCaughtUp && read.length >= 32) break;
  }
  assert.deepEqual(read.toSorted(), (await written).flat().toSorted());
  assert.deepEqual((await page(key, `kinds=anomaly.opened&cursor=${cursor}`)).items, []);
});

test("without a cursor the list begins at the oldest stored event, and a stream continues where it ends", async () => {
  const fresh = await newTenant(server);
  const device = await enrollDevice(server, fresh);
  const key = await newKey(server, fresh, "events:read", "anomalies:read");
  const id = await open(fresh, device);
  const first = await whenListed(key, [id]);
  assert.equal(first.items[0]?.deviceId, device.deviceId);
  const headers = { "x-api-key": key };
  const stream = await openStream(server, "/api/v1/events?kinds=anomaly.", headers, first.cursor);
  await server.app.anomalies.acknowledgeAnomaly(fresh.caller, id);
  await stream.next(isOf("anomaly.acknowledged"));
  assert.equal(stream.messages.some(isOf("anomaly.opened")), false);
  stream.close();
});

test("each kind of event needs its scope, and telemetry is refused because it is not among the events", async () => {
  const key = await newKey(server, tenant, "events:read", "tickets:read", "telemetry:read");
  assert.equal((await ask(key, "kinds=ticket.")).status, 200);
  const devices = await ask(key, "kinds=ticket.,device.");
  assert.deepEqual(
    [devices.status, devices.json.error, devices.json.detail],
    [403, "insufficient_scope", "devices:read"],
  );
  for (const query of [
    "",
    "kinds=telemetry.",
    "kinds=weather.",
    "kinds=ticket.&cursor=yesterday",
    "kinds=ticket.&limit=0",
  ]) {
    const { status, json } = await ask(key, query);
    assert.deepEqual([status, json.error], [400, "invalid_request"], query);
  }
});

test("a cursor before deleted events is answered 410 cursor_expired, and a list without one goes on", async () => {
  const key = await newKey(server, tenant, "events:read", "anomalies:read");
  const { cursor } = await page(key, "kinds=anomaly.&limit=1");
  await open(tenant, pump);
  server.clock.advance(49 * HOUR);
  await server.app.events.prune();
  const expired = await ask(key, `kinds=anomaly.&cursor=${cursor}`);
  assert.deepEqual([expired.status, expired.json.error], [410, "cursor_expired"]);
  await whenListed(key, [await open(tenant, pump)]);
});

test("a user who sees few devices is searched events for by the page, however many others the tenant has", async () => {
  const { app } = server;
  const other = await newTenant(server);
  const { caller } = other;
  const email = `vera@${other.slug}.example`;
  const user = await app.access.createUser(await app.access.systemCaller(other.slug), { email, role: "viewer" });
  const { id: groupId } = await app.groups.createGroup(caller, { name: "Hall", memberUserIds: [user.id] });
  await app.devices.createDevice(caller, { id: "unseen", name: "Unseen", groupIds: [] });
  await app.devices.createDevice(caller, { id: "seen", name: "Seen", groupIds: [groupId] });
  await sql`
    INSERT INTO events (tenant_id, at, device_id, device_uid, changed_table, operation, changed_row)
    SELECT d.tenant_id, ${server.clock.now()}, d.id, d.uid, 'devices', 'UPDATE',
           '{"connectivity": "online", "connectivity_reason": null}'
      FROM devices d, generate_series(1, 12000) WHERE d.tenant_id = ${caller.tenantId} AND d.id = 'unseen'`.execute(
    app.database.db,
  );
  const id = await addAnomaly({ database: app.database, clock: server.clock }, caller, "seen");
  const rights = { kind: "user", userId: user.id, role: "viewer" } as const;
  const vera = { ...caller, actor: `user:${user.id}`, rights };
  // Events wait for older transactions, which other tests have in the cluster.
  const pages = await eventually(async () => {
    const read = await pagesOf(vera);
    return read.at(-1)!.length > 0 && read;
  });
  assert.deepEqual(pages, [[], [], [["anomaly.opened", id]]]);
});

/** Returns the kinds and anomalies of the pages of 50 that a user reads. */
async function pagesOf(caller: TestTenant["caller"]): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  for (let after: string | undefined, more = true; more; ) {
    const read = await server.app.live.listEvents(caller, { after, kinds: ["device.", "anomaly."], limit: 50 });
    const items = read.items as Pick<Listed["items"][number], "kind" | "data">[];
    pages.push(items.map(({ kind, data }) => [kind, data.anomalyId]));
    ({ cursor: after, more } = read);
  }
  return pages;
}
