import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type mqtt from "mqtt";
import { MINUTE } from "../../src/lib/clock.ts";
import { connectPacket, PINGREQ, type RawClient, rawClient, subscribePacket } from "../broker/raw-client.ts";
import { onPostgres } from "../harness/database/database.ts";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { signIn } from "../harness/sign-in.ts";

/** Commands for devices: queued, sent, acknowledged, expired, cancelled. */
let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer({ env: { MUSTER_LIMIT_COMMANDS_OF_DEVICE: "30" } });
  tenant = await newTenant(server);
  await server.app.devices.updateDeviceType(tenant.caller, tenant.deviceTypeId, {
    subscribeTopics: ["commands/{deviceId}", "settings/{deviceId}"],
  });
});
after(() => server.stop());

const topicOf = ({ deviceId }: TestDevice, name = "commands") => `t/${tenant.slug}/${name}/${deviceId}`;

const send = (device: TestDevice, payload: string, { topic = topicOf(device), minutes = 60, at = server } = {}) =>
  at.app.commands.sendCommand(tenant.caller, device.deviceId, { topic, payload, expiresInMinutes: minutes });

async function waiting({ deviceId }: TestDevice): Promise<string[]> {
  const { items } = await server.app.commands.listCommands(tenant.caller, deviceId, { skip: 0, limit: 100 });
  return items.map(({ payload }) => payload);
}

/** Resolves when the device has acknowledged everything. */
const acknowledged = (device: TestDevice) =>
  eventually(async () => (await waiting(device)).length === 0).then((done) => assert.ok(done));

/** Resolves with the first `count` payloads that a client receives, in order. */
function payloads(client: mqtt.MqttClient, count: number): Promise<string[]> {
  const received: string[] = [];
  return new Promise((resolve) =>
    client.on("message", (_topic, payload) => void (received.push(`${payload}`) === count && resolve(received))),
  );
}

/** A client that has subscribed and acknowledges nothing automatically. */
async function silentClient(device: TestDevice, at: TestServer = server): Promise<RawClient> {
  const client = await rawClient({ port: at.mqttPort }, device);
  client.send(connectPacket({ clientId: device.deviceId }), subscribePacket(1, topicOf(device)));
  await client.atLeast(4 + 5);
  return client;
}

const isSent = (client: RawClient, payload: string) =>
  eventually(async () => client.received().includes(payload)).then((sent) => assert.ok(sent, payload));

/** Resolves with the packet id of a QoS 1 PUBLISH with this payload. */
function idOf(client: RawClient, payload: string): number {
  return client.received().readUInt16BE(client.received().indexOf(payload) - 2);
}

test("a connected device receives a command immediately, and the command is deleted when the device acknowledges it", async () => {
  const device = await enrollDevice(server, tenant);
  const client = await connectMqtt(server, device);
  const arrived = payloads(client, 1);
  await client.subscribeAsync(topicOf(device), { qos: 1 });
  const { id, createdBy } = await send(device, "open");
  assert.deepEqual([await arrived, createdBy], [["open"], "system"]);
  await acknowledged(device);
  const page = { skip: 0, limit: 5 };
  const { items } = await server.app.access.listAdminActs(tenant.caller, page);
  const { act, target, after: state } = items.find(({ act: each }) => each === "device.send-command")!;
  assert.deepEqual([act, target, (state as { command: string }).command], ["device.send-command", device.deviceId, id]);
  assert.ok(!JSON.stringify(state).includes("open"), "the audit does not have the payload");
  await client.endAsync();
});

test("commands for an offline device are sent in order once it subscribes to their topics, even more than may be in flight", async () => {
  const device = await enrollDevice(server, tenant);
  const expected = Array.from({ length: 25 }, (_, n) => `command ${n}`);
  await send(device, "a setting", { topic: topicOf(device, "settings") });
  for (const payload of expected) await send(device, payload);
  const client = await connectMqtt(server, device);
  const arrived = payloads(client, expected.length);
  await client.subscribeAsync(topicOf(device), { qos: 1 });
  assert.deepEqual(await arrived, expected);
  assert.ok(await eventually(async () => (await waiting(device)).length === 1));
  const setting = payloads(client, 1);
  await client.subscribeAsync(topicOf(device, "settings"), { qos: 2 });
  assert.deepEqual(await setting, ["a setting"]);
  await acknowledged(device);
  await client.endAsync();
});

test("an unacknowledged command is sent again in the next session, and not twice in one session", async () => {
  const device = await enrollDevice(server, tenant);
  await send(device, "once more");
  const first = await silentClient(device);
  await isSent(first, "once more");
  first.send(subscribePacket(2, topicOf(device)), PINGREQ);
  await send(device, "and this");
  await isSent(first, "and this");
  const text = first.received().toString("latin1");
  assert.equal(text.split("once more").length, 2, "sent once");
  first.socket.destroy();
  await first.ended;
  const second = await silentClient(device);
  await isSent(second, "and this");
  for (const payload of ["once more", "and this"]) second.send([0x40, 2, 0, idOf(second, payload)]);
  await acknowledged(device);
  second.socket.destroy();
});

test("a command waits while the device subscribes with QoS 0, which has no acknowledgement", async () => {
  const device = await enrollDevice(server, tenant);
  const client = await connectMqtt(server, device);
  await client.subscribeAsync(topicOf(device), { qos: 0 });
  await send(device, "wait");
  const arrived = payloads(client, 1);
  await client.subscribeAsync(topicOf(device), { qos: 1 });
  assert.deepEqual(await arrived, ["wait"]);
  await acknowledged(device);
  await client.endAsync();
});

test("a command is refused on a topic that the device type does not list, without a device, too large or for too long", async () => {
  const device = await enrollDevice(server, tenant);
  const refused = { code: "invalid_request" };
  await assert.rejects(send(device, "x", { topic: `t/${tenant.slug}/commands/another` }), refused);
  await assert.rejects(send(device, "x", { topic: device.topic }), refused);
  await assert.rejects(send(device, "x".repeat(64 * 1024 + 1)), refused);
  for (const minutes of [0, 1.5, 7 * 24 * 60 + 1]) await assert.rejects(send(device, "x", { minutes }), refused);
  await assert.rejects(send({ ...device, deviceId: "unknown" }, "x"), { code: "not_found" });
  assert.deepEqual(await waiting(device), []);
});

test("an expired command is neither listed nor sent, and ends", async () => {
  const device = await enrollDevice(server, tenant);
  await send(device, "short", { minutes: 1 });
  await send(device, "long", { minutes: 60 });
  server.clock.advance(MINUTE);
  assert.deepEqual(await waiting(device), ["long"]);
  const client = await connectMqtt(server, device);
  const arrived = payloads(client, 1);
  await client.subscribeAsync(topicOf(device), { qos: 1 });
  assert.deepEqual(await arrived, ["long"]);
  await acknowledged(device);
  await client.endAsync();
  await server.app.commands.prune();
  const { db } = server.app.database;
  const ended = await db
    .selectFrom("device_commands")
    .select("outcome")
    .where("expires_at", "<=", server.clock.now())
    .execute();
  assert.deepEqual(ended, [{ outcome: "expired" }]);
});

test("the limit of a device's pending commands also applies to simultaneous ones, and a cancelled one makes room", async () => {
  const device = await enrollDevice(server, tenant);
  for (let n = 0; n < 25; n++) await send(device, `${n}`);
  const sent = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => send(device, `at once ${n}`)));
  const refused = sent.filter((each) => each.status === "rejected").map(({ reason }) => reason.code);
  assert.deepEqual(refused, Array(5).fill("quota_exceeded"));
  const { items } = await server.app.commands.listCommands(tenant.caller, device.deviceId, { skip: 0, limit: 1 });
  await server.app.commands.cancelCommand(tenant.caller, device.deviceId, items[0]!.id);
  await server.app.commands.cancelCommand(tenant.caller, device.deviceId, items[0]!.id);
  await send(device, "again");
  await assert.rejects(send(device, "one too many"), { code: "quota_exceeded" });
});

test("the commands of a device are deleted with it", async () => {
  const device = await enrollDevice(server, tenant);
  await send(device, "never");
  await server.app.enrollment.deleteDevice(tenant.caller, device.deviceId);
  await assert.rejects(waiting(device), { code: "not_found" });
  const { rows } = await server.app.database.db
    .selectFrom("device_commands as c")
    .innerJoin("devices as d", "d.uid", "c.device_uid")
    .select("c.id")
    .where("d.id", "=", device.deviceId)
    .execute()
    .then((found) => ({ rows: found }));
  assert.deepEqual(rows, []);
});

test("a user sends, lists and cancels commands over the admin API; a viewer may not", async () => {
  const device = await enrollDevice(server, tenant);
  const user = await signIn(server, tenant, "admin");
  const path = `/devices/${device.deviceId}/commands`;
  const body = { topic: topicOf(device), payload: '{"valve":"open"}' };
  const created = await user.call("POST", path, { body });
  assert.equal(created.status, 201, created.text);
  assert.deepEqual([created.json.payload, created.json.createdBy], [body.payload, `user:${user.userId}`]);
  const listed = await user.call("GET", path);
  assert.deepEqual([listed.json.total, listed.json.items], [1, [created.json]]);
  assert.equal((await user.call("DELETE", `${path}/${created.json.id}`)).status, 204);
  assert.equal((await user.call("GET", path)).json.total, 0);
  assert.equal((await user.call("DELETE", `${path}/${created.json.id}`)).status, 204);
  assert.equal((await user.call("DELETE", `${path}/${device.deviceId}`)).status, 404);
  const viewer = await signIn(server, tenant, "viewer");
  assert.equal((await viewer.call("POST", path, { body })).status, 403);
});

describe("with two processes", () => {
  if (!onPostgres) return;
  let second: TestServer;
  before(async () => {
    second = await startServer({ share: server });
  });
  after(() => second.stop());

  test("a command sent at one process reaches the device at the other, each once, while clients take over", async () => {
    const device = await enrollDevice(server, tenant);
    const client = await connectMqtt(second, device);
    const arrived = payloads(client, 1);
    await client.subscribeAsync(topicOf(device), { qos: 1 });
    await send(device, "across");
    assert.deepEqual(await arrived, ["across"]);
    await acknowledged(device);
    await client.endAsync();
    for (let round = 0; round < 5; round++) {
      await send(device, `round ${round}`, { at: [server, second][round % 2]! });
      const silent = await silentClient(device, [second, server][round % 2]!);
      await isSent(silent, `round ${round}`);
    }
    const last = await silentClient(device);
    await isSent(last, "round 4");
    assert.equal((await waiting(device)).length, 5, "nothing that was not acknowledged is lost");
    for (let round = 0; round < 5; round++) last.send([0x40, 2, 0, idOf(last, `round ${round}`)]);
    await acknowledged(device);
    last.socket.destroy();
  });
});
