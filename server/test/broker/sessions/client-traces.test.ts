import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { enrollDevice, newTenant, type TestDevice, type TestTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { connect } from "../environment.ts";

let server: TestServer;
let tenant: TestTenant;
before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server.stop());

const session = (device: TestDevice, protocolVersion: 4 | 5 = 5) =>
  connect({ port: server.mqttPort }, device, {
    clientId: device.deviceId,
    cert: device.fullchain,
    protocolVersion,
    reconnectPeriod: 0,
  });

/** Reads the entries of a trace, the oldest first and without their times, once there is one of `kind`. */
async function traced(clientId: string, kind: string) {
  const lines = await eventually(async () => {
    const { entries } = await server.app.connections.readTrace(tenant.caller, clientId);
    return entries.some((entry) => entry.kind === kind) && entries;
  });
  assert.ok(lines, `no entry ${kind}`);
  return lines.map(({ id: _id, at: _at, ...entry }) => entry).reverse();
}

test("a trace lists what a device sends, receives and is refused, and why, without payloads", async () => {
  const device = await enrollDevice(server, tenant);
  await server.app.connections.startTrace(tenant.caller, device.deviceId);
  const client = await session(device);
  await client.publishAsync(device.topic, '{"a":1}', { qos: 1 });
  await assert.rejects(
    client.publishAsync(device.topic, "secret payload", { qos: 1 }),
    /Implementation specific error/,
  );
  await client.publishAsync(device.topic, '{"a":1,"b":{"c":[]},"d":null}', { qos: 1 });
  await assert.rejects(client.publishAsync(`t/${tenant.slug}/elsewhere`, "x", { qos: 1 }));
  await client.subscribeAsync("t/elsewhere/#").catch(() => undefined);
  await client.endAsync();
  const lines = await traced(device.deviceId, "disconnected");
  assert.deepEqual(
    lines.map(({ kind, topic, bytes }) => [kind, topic, bytes]),
    [
      ["connected", null, null],
      ["published", device.topic, 7],
      ["not_stored", device.topic, 14],
      ["partly_stored", device.topic, 29],
      ["publish_refused", `t/${tenant.slug}/elsewhere`, null],
      ["subscribe_refused", "t/elsewhere/#", null],
      ["disconnected", null, null],
    ],
  );
  assert.match(lines[0]!.detail!, /127\.0\.0\.1$/);
  assert.match(lines[2]!.detail!, /JSON/);
  assert.match(lines[3]!.detail!, /^"b.c" is an array/);
  assert.equal(JSON.stringify(lines).includes("secret"), false);
});

test("a busy client's trace says how many entries it omits", async () => {
  const device = await enrollDevice(server, tenant);
  const client = await session(device);
  await server.app.connections.startTrace(tenant.caller, device.deviceId);
  await client.publishAsync(device.topic, '{"a":1}', { qos: 1 });
  await traced(device.deviceId, "published");
  await Promise.all(Array.from({ length: 30 }, () => client.publishAsync(device.topic, '{"a":2}', { qos: 1 })));
  server.clock.advance(SECOND);
  await client.publishAsync(device.topic, '{"a":3}', { qos: 1 });
  const lines = await traced(device.deviceId, "omitted");
  assert.equal(lines.find(({ kind }) => kind === "omitted")!.detail, "11");
  assert.equal(lines.filter(({ kind }) => kind === "published").length, 21);
  await client.endAsync();
});

test("a trace ends after five minutes, can be read for an hour, and is then deleted", async () => {
  const device = await enrollDevice(server, tenant);
  const client = await session(device);
  const { connections } = server.app;
  await connections.startTrace(tenant.caller, device.deviceId);
  await client.publishAsync(device.topic, '{"a":1}', { qos: 1 });
  await traced(device.deviceId, "published");
  server.clock.advance(5 * MINUTE);
  await client.publishAsync(device.topic, '{"a":2}', { qos: 1 });
  await client.endAsync();
  server.clock.advance(59 * MINUTE);
  await connections.prune();
  assert.equal((await connections.readTrace(tenant.caller, device.deviceId)).entries.length, 1);
  server.clock.advance(2 * MINUTE);
  await connections.prune();
  const none = { startedAt: null, endsAt: null, entries: [] };
  assert.deepEqual(await connections.readTrace(tenant.caller, device.deviceId), none);
});

test("of many traces started at once, a tenant has five, and starting one again replaces it", async () => {
  const other = await newTenant(server);
  const { connections, devices } = server.app;
  const ids = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => (await devices.createDevice(other.caller, { name: `Pump ${n}` })).id),
  );
  const started = await Promise.allSettled(ids.map((id) => connections.startTrace(other.caller, id)));
  const failed = started.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
  assert.deepEqual(failed, ["quota_exceeded", "quota_exceeded", "quota_exceeded"]);
  const traced = ids[started.findIndex(({ status }) => status === "fulfilled")]!;
  await connections.startTrace(other.caller, traced);
  await assert.rejects(connections.startTrace(tenant.caller, traced), { code: "not_found" });
  assert.equal((await connections.readTrace(tenant.caller, traced)).startedAt, null);
});
