import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { connect } from "node:tls";
import { MINUTE, SECOND } from "../../src/lib/clock.ts";
import { addAnomaly } from "../harness/anomalies.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { isOf, isReady, openStream, type Stream } from "../harness/http/event-streams.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
/** A device in the viewer's group. */
let pump: TestDevice;
let groupId: string;
let viewer: SignedIn;

before(async () => {
  server = await startServer();
  await server.app.telemetry.maintainPartitions();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
  viewer = await signIn(server, tenant, "viewer");
  groupId = (await server.app.groups.createGroup(tenant.caller, { name: "Hall", memberUserIds: [viewer.userId] })).id;
  pump = await enrollDevice(server, tenant);
  const { name, deviceTypeId } = await server.app.devices.getDevice(tenant.caller, pump.deviceId);
  await server.app.devices.replaceDevice(tenant.caller, pump.deviceId, { name, deviceTypeId, groupIds: [groupId] });
});
after(() => server.stop());

/** Opens a stream as a browser does. */
function follow(user: Pick<SignedIn, "cookie">, query = "", lastEventId?: string): Promise<Stream> {
  const credential = { cookie: user.cookie, "sec-fetch-site": "same-origin" };
  return openStream(server, `/api/admin/events${query}`, credential, lastEventId);
}

/** Publishes, long enough after the last time that the event is not delayed. */
async function connectOnce(device: TestDevice): Promise<void> {
  server.clock.advance(MINUTE);
  await (await connectMqtt(server, device)).endAsync();
}

test("a stream begins with ready, and delivers the events of the devices that the user sees", async () => {
  const hidden = await enrollDevice(server, tenant);
  const [all, visible] = [await follow(admin), await follow(viewer)];
  assert.deepEqual([all.status, all.headers["content-type"]], [200, "text/event-stream; charset=utf-8"]);
  assert.equal(all.headers["cache-control"], "no-store");
  for (const stream of [all, visible]) assert.match((await stream.next(isReady)).id, /^\d+\.\d+\.\d+$/);
  await connectOnce(hidden);
  await connectOnce(pump);
  await all.next(isOf("device.online", hidden.deviceId));
  await visible.next(isOf("device.online", pump.deviceId));
  assert.ok(!visible.messages.some(({ data }) => data.deviceId === hidden.deviceId));
  for (const stream of [all, visible]) stream.close();
});

test("a reopened stream continues after the last event that the client has", async () => {
  const first = await follow(admin);
  await first.next(isReady);
  const { database } = server.app;
  await addAnomaly({ database, clock: server.clock }, tenant.caller, pump.deviceId);
  const { id } = await first.next(isOf("anomaly.opened"));
  first.close();
  const [anomaly] = (await server.app.anomalies.listAnomalies(tenant.caller, { skip: 0, limit: 1 })).items;
  await server.app.anomalies.acknowledgeAnomaly(tenant.caller, anomaly!.id);
  const second = await follow(admin, "?kinds=anomaly.", id);
  await second.next(isOf("anomaly.acknowledged"));
  assert.deepEqual(
    second.messages.map(({ event, data }) => data.kind ?? event),
    ["ready", "anomaly.acknowledged"],
  );
  second.close();
});

test("a stream delivers the telemetry of the devices that it names, if the user sees them", async () => {
  const hidden = await enrollDevice(server, tenant);
  const stream = await follow(viewer, `?telemetry=${pump.deviceId},${hidden.deviceId}&kinds=telemetry.`);
  const silent = await follow(viewer);
  await stream.next(isReady);
  server.clock.advance(MINUTE);
  for (const device of [hidden, pump]) {
    const client = await connectMqtt(server, device);
    await client.publishAsync(device.topic, '{"flow": 7}', { qos: 1 });
    await client.endAsync();
  }
  const changed = await stream.next(isOf("telemetry.changed", pump.deviceId));
  assert.deepEqual(
    changed.data.data?.values?.map(({ value }) => value),
    [7],
  );
  await silent.next(isOf("device.offline", pump.deviceId));
  assert.ok(!silent.messages.some(isOf("telemetry.changed")));
  assert.ok(!stream.messages.some(({ data }) => data.deviceId === hidden.deviceId || data.kind === "device.online"));
  for (const each of [stream, silent]) each.close();
});

test("a cursor whose events were deleted is answered with reset, after which the stream continues", async () => {
  const old = await follow(admin);
  const { id } = await old.next(isReady);
  old.close();
  // The horizon is this position, and the cursor is that of the transaction before. A later horizon could lie beyond
  // the positions at which a stream begins, because another database of the cluster may have a long transaction open.
  const [xid, ...rest] = id.split(".");
  await runSql(server.app.database.db, "UPDATE events_horizon SET xid = $1::text::xid8", [xid]);
  const stream = await follow(admin, "", [BigInt(xid!) - 1n, ...rest].join("."));
  const reset = await stream.next(({ event }) => event === "reset");
  assert.match(reset.id, /^\d+\.\d+\.\d+$/);
  await connectOnce(pump);
  await stream.next(isOf("device.online", pump.deviceId));
  stream.close();
});

test("a stream ends immediately with its session: signed out, deactivated, another role, expired", async () => {
  const { access, identity } = server.app;
  const ends: [string, (user: SignedIn) => Promise<unknown>][] = [
    ["sign-out", (user) => user.call("DELETE", "/session")],
    ["deactivation", (user) => access.deactivateUser(tenant.caller, user.email)],
    ["role", (user) => runSql(server.app.database.db, "UPDATE users SET role = 'viewer' WHERE id = $1", [user.userId])],
    [
      "expiry",
      async (user) => {
        await runSql(server.app.database.db, "UPDATE user_sessions SET expires_at = created_at WHERE user_id = $1", [
          user.userId,
        ]);
        await identity.checkFollowedSessions();
      },
    ],
  ];
  for (const [what, end] of ends) {
    const user = await signIn(server, tenant, "operator");
    const stream = await follow(user);
    const other = await follow(admin);
    await Promise.all([stream.next(isReady), other.next(isReady)]);
    await end(user);
    const last = await stream.next(({ event }) => event === "end");
    assert.equal(last.data.reason, "session_ended", what);
    await stream.ended;
    assert.ok(!other.messages.some(({ event }) => event === "end"));
    other.close();
    await other.ended;
  }
});

test("a session has at most four streams, and one that closes makes room", async () => {
  const user = await signIn(server, tenant);
  const streams = await Promise.all([1, 2, 3, 4].map(() => follow(user)));
  for (const stream of streams) await stream.next(isReady);
  const fifth = await user.call("GET", "/events");
  assert.deepEqual([fifth.status, fifth.json.error, fifth.headers["retry-after"]], [429, "rate_limited", "5"]);
  streams[0]!.close();
  let again: Stream;
  do {
    // The clock advances past the rate limit, however long the service takes to notice that the client has left.
    server.clock.advance(SECOND);
    again = await follow(user);
  } while (again.status === 429);
  assert.equal(again.status, 200);
  for (const stream of [again, ...streams]) stream.close();
});

test("a tenant's sessions have as many streams as the limit allows, and leave room for those of other tenants", async (t) => {
  const limited = await startServer({ env: { MUSTER_LIMIT_STREAMS: "6", MUSTER_LIMIT_STREAMS_OF_TENANT: "5" } });
  t.after(() => limited.stop());
  const [greedy, other] = [await newTenant(limited), await newTenant(limited)];
  const open = ({ cookie }: SignedIn) =>
    openStream(limited, "/api/admin/events", { cookie, "sec-fetch-site": "same-origin" });
  const [one, two, theirs] = [
    await signIn(limited, greedy, "viewer"),
    await signIn(limited, greedy, "viewer"),
    await signIn(limited, other, "viewer"),
  ];
  const streams = await Promise.all([one, one, one, one, two].map(open));
  assert.deepEqual(
    streams.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  const sixth = await open(two);
  assert.deepEqual([sixth.status, sixth.headers["retry-after"]], [429, "5"]);
  streams.push(await open(theirs));
  assert.equal(streams.at(-1)!.status, 200);
  for (const stream of streams) stream.close();
});

test("clients that leave before their streams have begun make room", async () => {
  const user = await signIn(server, tenant);
  const asked = `GET /api/admin/events HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nCookie: ${user.cookie}\r\n\r\n`;
  for (let turns = 0; turns < 30; turns++) {
    const socket = connect({ host: "127.0.0.1", port: server.httpPort, servername: "localhost", ca: server.ca });
    await once(socket, "secureConnect");
    socket.write(asked);
    // Each client leaves one turn of the event loop, which the server shares, later than the previous one.
    for (let n = 0; n < turns; n++) await new Promise(setImmediate);
    socket.destroy();
  }
  const streams: Stream[] = [];
  while (streams.length < 4) {
    server.clock.advance(SECOND);
    const stream = await follow(user);
    if (stream.status === 200) streams.push(stream);
  }
  for (const stream of streams) stream.close();
});

test("no stream opens without a session, from a foreign origin, with a bad cursor or with too many devices", async () => {
  assert.equal((await follow({ cookie: "" })).status, 401);
  const foreign = await admin.call("GET", "/events", { headers: { "sec-fetch-site": "cross-site" } });
  assert.equal(foreign.json.error, "foreign_origin");
  const many = Array.from({ length: 201 }, (_, n) => `d${n}`).join();
  for (const [path, headers] of [
    ["/events", { "last-event-id": "yesterday" }],
    [`/events?telemetry=${many}`, {}],
    ["/events?kinds=secret.", {}],
  ] as const) {
    const { status, json } = await admin.call("GET", path, { headers });
    assert.deepEqual([status, json.error], [400, "invalid_request"], path);
  }
  assert.equal((await admin.call("HEAD", "/events")).status, 200);
});

test("when the service stops, its streams announce it and end", async (t) => {
  const stopping = await startServer();
  t.after(() => stopping.stop());
  const own = await newTenant(stopping);
  const user = await signIn(stopping, own);
  const before = server;
  server = stopping;
  const stream = await follow(user).finally(() => {
    server = before;
  });
  await stream.next(isReady);
  await stopping.app.stop();
  await stream.ended;
  assert.equal(stream.messages.at(-1)?.data.reason, "stopping");
});
