import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { installFaultHook } from "../../../src/lib/fault-points.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { closed, connectMqtt, enrollDevice, newTenant, type TestTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { connectPacket, PINGREQ, type RawClient, rawClient } from "../raw-client.ts";

const ROUNDS = 5;
const CONNACK_BYTES = 4;
const PINGRESP_BYTES = 2;
const CLIENTS = 50;
/** Devices, each of which connects to both processes. */
const RACING = 16;

/** Two servers share a PostgreSQL; the embedded database admits one process. */
describe("two broker processes on one database", () => {
  if (!onPostgres) return;
  let first: TestServer;
  let second: TestServer;
  let tenant: TestTenant;
  before(async () => {
    first = await startServer();
    second = await startServer({ share: first });
    tenant = await newTenant(first);
  });
  after(async () => {
    await second.stop();
    await first.stop();
  });

  async function certificateOf(deviceId: string): Promise<string> {
    const page = await first.app.certificates.listCertificates(tenant.caller, { deviceId, skip: 0, limit: 1 });
    return page.items[0]!.id;
  }

  async function storedSessions({ deviceId }: { deviceId: string }): Promise<number> {
    const { db } = first.app.database;
    return (await db.selectFrom("mqtt_sessions").select("client_id").where("client_id", "=", deviceId).execute())
      .length;
  }

  test("a device that connects to the other process loses its first session, and is online throughout", async () => {
    const device = await enrollDevice(first, tenant);
    const here = await connectMqtt(first, device);
    const there = await connectMqtt(second, device);
    await closed(here);
    await there.publishAsync(device.topic, '{"a":1}', { qos: 1 });
    await Promise.all([first.app.connections.flush(), second.app.connections.flush()]);
    const { connectivity } = await first.app.devices.getDevice(tenant.caller, device.deviceId);
    assert.equal(connectivity.status, "online");
    await there.endAsync();
  });

  test("a client is answered once its session at the other process has ended", async (t) => {
    const device = await enrollDevice(first, tenant);
    const here = await connectMqtt(first, device);
    const [delivering, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    installFaultHook((point) => {
      if (point !== "drop.deliver") return undefined;
      delivering.resolve();
      return released.promise;
    });
    t.after(() => {
      released.resolve();
      installFaultHook(() => undefined);
    });
    let isAnswered = false;
    const there = connectMqtt(second, device).then((client) => {
      isAnswered = true;
      return client;
    });
    await delivering.promise;
    const other = await connectMqtt(second, await enrollDevice(first, tenant));
    await here.publishAsync(device.topic, '{"a":1}', { qos: 1 });
    assert.equal(isAnswered, false);
    released.resolve();
    await closed(here);
    for (const client of [await there, other]) await client.endAsync();
  });

  test("a revocation at one process has closed the session at the other when it returns", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const device = await enrollDevice(first, tenant);
      const client = await connectMqtt(second, device);
      await first.app.enrollment.revokeCertificate(tenant.caller, await certificateOf(device.deviceId));
      assert.equal(await storedSessions(device), 0);
      await closed(client);
      await assert.rejects(connectMqtt(second, device), /Not authorized/);
    }
  });

  test("revocations while many devices connect to both processes leave no session of a revoked certificate", async () => {
    const devices = await Promise.all(Array.from({ length: RACING }, () => enrollDevice(first, tenant)));
    const certificates = await Promise.all(devices.map(({ deviceId }) => certificateOf(deviceId)));
    const isRevoked = (n: number) => n % 2 === 0;
    const clients = await Promise.all(
      devices.flatMap((device) => [first, second].map(({ mqttPort }) => rawClient({ port: mqttPort }, device))),
    );
    for (const [n, client] of clients.entries()) {
      client.send(connectPacket({ clientId: devices[n >> 1]!.deviceId, keepAlive: 0 }));
    }
    const revoked = certificates.filter((_, n) => isRevoked(n));
    await Promise.all(revoked.map((id) => first.app.enrollment.revokeCertificate(tenant.caller, id)));
    for (const [n, client] of clients.entries()) if (isRevoked(n >> 1)) await client.ended;
    const open = (n: number) => clients.slice(2 * n, 2 * n + 2).filter(({ socket }) => !socket.readableEnded);
    const isAsExpected = async (n: number) =>
      (await storedSessions(devices[n]!)) === (isRevoked(n) ? 0 : 1) && open(n).length === (isRevoked(n) ? 0 : 1);
    for (const n of devices.keys()) assert.ok(await eventually(() => isAsExpected(n)), `device ${n}`);
    for (const { socket } of clients) socket.destroy();
  });

  test("disabling or deleting an MQTT client, or blocking a device's key, at one process closes the session at the other", async () => {
    const { connections, enrollment } = first.app;
    const { caller, slug } = tenant;
    for (const end of [connections.disableMqttClient, connections.deleteMqttClient]) {
      const wanted = { clientId: `${slug}-gw`, username: `${slug}-gw` };
      const { password } = await connections.createMqttClient(caller, wanted);
      const identity = { deviceId: wanted.clientId, fullchain: "", key: "", ca: first.ca };
      const connect = () => connectMqtt(second, identity, { username: wanted.username, password });
      const client = await connect();
      await end(caller, wanted.clientId);
      assert.equal(await storedSessions(identity), 0);
      await closed(client);
      await assert.rejects(connect(), /Bad username or password/);
    }
    const device = await enrollDevice(first, tenant);
    const client = await connectMqtt(second, device);
    const { revoked } = await enrollment.blockKey({ certificateId: await certificateOf(device.deviceId) });
    assert.equal(revoked.length, 1);
    assert.equal(await storedSessions(device), 0);
    await closed(client);
    await assert.rejects(connectMqtt(second, device), /Not authorized/);
  });

  test(`at most one of ${CLIENTS} simultaneous connects at two processes stays open, also when some close before their CONNACK`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const device = await enrollDevice(first, tenant);
      const clients = await Promise.all(
        Array.from({ length: CLIENTS }, (_, n) => rawClient({ port: [first, second][n % 2]!.mqttPort }, device)),
      );
      for (const [n, client] of clients.entries()) {
        client.send(connectPacket({ clientId: device.deviceId, keepAlive: 0 }));
        if (n % 7 === round) client.socket.destroy();
      }
      const open = (): RawClient[] => clients.filter(({ socket }) => !socket.destroyed && !socket.readableEnded);
      // A destroyed client may be the last to connect: it takes the session over and ends it, so none may be left.
      const atMostOneLeft = () =>
        eventually(async () => {
          const left = open();
          if (left.length > 1 || (await storedSessions(device)) !== left.length) return false;
          return (await Promise.all(left.map(answers))).every(Boolean);
        });
      assert.ok(await atMostOneLeft(), `${open().length} are open, ${await storedSessions(device)} stored`);
      for (const client of open()) {
        client.socket.destroy();
        await client.ended;
      }
    }
  });
});

/** Returns whether the client's CONNECT was accepted and its session is open now. */
async function answers(client: RawClient): Promise<boolean> {
  const received = Math.max(client.received().length, CONNACK_BYTES);
  client.send(PINGREQ);
  return await client.atLeast(received + PINGRESP_BYTES).then(
    () => true,
    () => false,
  );
}
