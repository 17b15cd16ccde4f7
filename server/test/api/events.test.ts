import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { addAnomaly } from "../harness/anomalies.ts";
import { connectMqtt, enrollDevice, newKey, newTenant, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { isOf, isReady, type Message, openStream, type Stream } from "../harness/http/event-streams.ts";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** `GET /api/v1/events`: the tenant's events as a stream for the holder of an API key. */
let server: TestServer;
let tenant: TestTenant;
let other: TestTenant;
let pump: TestDevice;

before(async () => {
  server = await startServer({ env: { MUSTER_LIMIT_KEY_STREAMS_OF_TENANT: "5" } });
  await server.app.telemetry.maintainPartitions();
  [tenant, other] = [await newTenant(server), await newTenant(server)];
  pump = await enrollDevice(server, tenant);
});
after(() => server.stop());

const PATH = "/api/v1/events";
const follow = (key: string, query: string, lastEventId?: string): Promise<Stream> =>
  openStream(server, PATH + query, { "x-api-key": key }, lastEventId);
const ask = (key: string, query: string, headers: Record<string, string> = {}, method = "GET") =>
  https(server.httpUrl + PATH + query, { ca: server.ca, method, headers: { "x-api-key": key, ...headers } });
const isEnd = ({ event }: Message) => event === "end";
const anomalyOf = ({ caller }: TestTenant, { deviceId }: TestDevice) =>
  addAnomaly({ database: server.app.database, clock: server.clock }, caller, deviceId);

/**
 * Opens a stream as soon as there is room: a closed stream releases its slot a moment later. Advances the clock to
 * avoid the rate limit.
 */
async function opened(key: string): Promise<Stream> {
  for (;;) {
    const stream = await follow(key, "?kinds=device.");
    if (stream.status !== 429) return stream;
    server.clock.advance(SECOND);
  }
}

test("a stream delivers the events of the key's tenant, and continues after the client's last event", async () => {
  const key = await newKey(server, tenant, "events:read", "anomalies:read");
  const first = await follow(key, "?kinds=anomaly.");
  assert.deepEqual([first.status, first.headers["content-type"]], [200, "text/event-stream; charset=utf-8"]);
  assert.equal(first.headers["cache-control"], "no-store");
  assert.match(String(first.headers.ratelimit), /^"key";r=119/);
  await first.next(isReady);
  await anomalyOf(other, await enrollDevice(server, other));
  await anomalyOf(tenant, pump);
  const { id } = await first.next(isOf("anomaly.opened"));
  assert.deepEqual(
    first.messages.map(({ event, data }) => data.deviceId ?? event),
    ["ready", pump.deviceId],
  );
  first.close();
  const [anomaly] = (await server.app.anomalies.listAnomalies(tenant.caller, { skip: 0, limit: 1 })).items;
  await server.app.anomalies.acknowledgeAnomaly(tenant.caller, anomaly!.id);
  const second = await follow(key, "?kinds=anomaly.", id);
  await second.next(isOf("anomaly.acknowledged"));
  assert.deepEqual(
    second.messages.map(({ event, data }) => data.kind ?? event),
    ["ready", "anomaly.acknowledged"],
  );
  second.close();
});

test("a stream delivers the telemetry of the devices that it names, and not that of another tenant's", async () => {
  const key = await newKey(server, tenant, "events:read", "telemetry:read");
  const foreign = await enrollDevice(server, other);
  const stream = await follow(key, `?kinds=telemetry.&telemetry=${pump.deviceId},${foreign.deviceId}`);
  await stream.next(isReady);
  server.clock.advance(MINUTE);
  for (const device of [foreign, pump]) {
    const client = await connectMqtt(server, device);
    await client.publishAsync(device.topic, '{"flow": 7}', { qos: 1 });
    await client.endAsync();
  }
  const changed = await stream.next(isOf("telemetry.changed"));
  assert.equal(changed.data.deviceId, pump.deviceId);
  assert.ok(!stream.messages.some(({ data }) => data.deviceId === foreign.deviceId));
  stream.close();
});

test("each kind of event needs the scope that reads it, in addition to that of streams", async () => {
  const key = await newKey(server, tenant, "events:read", "tickets:read");
  for (const [kinds, scope] of [
    ["anomaly.opened", "anomalies:read"],
    ["ticket.,device.", "devices:read"],
    ["certificate.", "device-certificates:read"],
    ["finding.", "device-certificates:read"],
    [`telemetry.&telemetry=${pump.deviceId}`, "telemetry:read"],
  ]) {
    const { status, json } = await ask(key, `?kinds=${kinds}`);
    assert.deepEqual([status, json.error, json.detail], [403, "insufficient_scope", scope], kinds);
  }
  assert.equal((await ask(key, "?kinds=ticket.")).status, 200);
  assert.equal((await ask(key, "?kinds=ticket.", {}, "HEAD")).status, 200);
  const without = await ask(await newKey(server, tenant, "tickets:read"), "?kinds=ticket.");
  assert.deepEqual([without.status, without.json.detail], [403, "events:read"]);
});

test("missing or unknown kinds, telemetry without devices, devices without telemetry and a wrong cursor are refused", async () => {
  const key = await newKey(server, tenant, "events:read", "telemetry:read", "devices:read");
  const many = Array.from({ length: 201 }, (_, n) => `d${n}`).join();
  const queries = ["", "?kinds=", "?kinds=weather.", "?kinds=telemetry.", "?kinds=device.&telemetry=x"];
  queries.push("?kinds=device", "?kinds=device.onlnie", "?kinds=device..", "?kinds=.", "?kinds=device.,constructor.");
  for (const query of [...queries, `?kinds=telemetry.&telemetry=${many}`]) {
    const { status, json } = await ask(key, query);
    assert.deepEqual([status, json.error], [400, "invalid_request"], query);
  }
  const wrong = await ask(key, "?kinds=device.", { "last-event-id": "yesterday" });
  assert.deepEqual([wrong.status, wrong.json.error], [400, "invalid_request"]);
});

test("a stream ends with its key: revoked, its owner deactivated, expired", async () => {
  const { access } = server.app;
  const create = async (email: string) =>
    await access.createKey(tenant.caller, {
      user: email,
      name: "stream",
      scopes: ["events:read", "devices:read"],
      expiresInDays: 1,
    });
  const staying = await newKey(server, tenant, "events:read", "devices:read");
  const ends: [string, (id: string, email: string) => Promise<unknown>][] = [
    ["revoked", (id) => access.revokeKey(tenant.caller, id)],
    ["deactivated", (_, email) => access.deactivateUser(tenant.caller, email)],
    [
      "expired",
      async () => {
        server.clock.advance(2 * DAY);
        await access.checkFollowedKeys();
      },
    ],
  ];
  for (const [what, end] of ends) {
    const { email } = await access.createUser(tenant.caller, { email: `${what}@example.com`, role: "admin" });
    const { id, key } = await create(email);
    const [stream, beside] = [await opened(key), await opened(staying)];
    await Promise.all([stream.next(isReady), beside.next(isReady)]);
    await end(id, email);
    assert.equal((await stream.next(isEnd)).data.reason, "key_ended", what);
    await stream.ended;
    assert.ok(!beside.messages.some(isEnd), what);
    beside.close();
  }
});

test("a key has at most four streams, the keys of a tenant as many as the limit allows, and one that closes makes room", async () => {
  const [one, two] = [
    await newKey(server, tenant, "events:read", "devices:read"),
    await newKey(server, tenant, "events:read", "devices:read"),
  ];
  const theirs = await newKey(server, other, "events:read", "devices:read");
  const streams: Stream[] = [];
  for (let n = 0; n < 4; n++) streams.push(await opened(one));
  const fifth = await ask(one, "?kinds=device.");
  assert.deepEqual([fifth.status, fifth.json.error, fifth.headers["retry-after"]], [429, "rate_limited", "5"]);
  assert.match(fifth.json.message, /a key has at most 4/i);
  streams.push(await opened(two));
  const sixth = await ask(two, "?kinds=device.");
  assert.deepEqual([sixth.status, sixth.headers["retry-after"]], [429, "5"]);
  assert.match(sixth.json.message, /keys of a tenant have at most 5/i);
  streams.push(await opened(theirs));
  streams[0]!.close();
  streams.push(await opened(one));
  for (const stream of streams) stream.close();
});
