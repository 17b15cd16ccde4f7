import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import mqttPacket from "mqtt-packet";
import { connect as connectMqtt } from "../../broker/environment.ts";
import { enrollDevice, newTenant, type TestDevice } from "../../harness/devices.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type RawTls, rawTls } from "./raw-tls.ts";

/** 270 KB, far more than any client may send without data. */
const FLOOD = 10_000;
const PING = Buffer.from([0xc0, 0]);
const CONNACK_BYTES = 4;
const PINGRESP_BYTES = 2;

async function serverFor(t: TestContext): Promise<TestServer> {
  const server = await startServer();
  t.after(() => server.stop());
  return server;
}

/** Sends KeyUpdates until the server closes the connection. */
async function flood(client: RawTls): Promise<void> {
  client.socket.write(client.keyUpdates(FLOOD));
  await client.closed;
}

async function connectRaw(server: TestServer, device: TestDevice): Promise<RawTls> {
  return await rawTls(server.mqttPort, { key: device.key, cert: device.fullchain });
}

function connectPacket(device: TestDevice): Buffer {
  return mqttPacket.generate({
    cmd: "connect",
    protocolId: "MQTT",
    protocolVersion: 4,
    clean: true,
    clientId: device.deviceId,
  });
}

async function closedConnections({ app }: TestServer, listener: string): Promise<number> {
  const line = `muster_connections_closed_total{listener="${listener}",cap="overhead"} `;
  const found = (await app.metrics.text()).split("\n").find((each) => each.startsWith(line));
  return Number(found?.slice(line.length) ?? 0);
}

test("a client that sends KeyUpdates before its CONNECT or its first request is closed", async (t) => {
  const server = await serverFor(t);
  await flood(await rawTls(server.mqttPort));
  await flood(await rawTls(server.httpPort));
  assert.deepEqual([await closedConnections(server, "mqtt"), await closedConnections(server, "https")], [1, 1]);
});

test("a device that sends KeyUpdates is disconnected, while another's messages are acknowledged", async (t) => {
  const server = await serverFor(t);
  const tenant = await newTenant(server);
  const [honest, hostile] = [await enrollDevice(server, tenant), await enrollDevice(server, tenant)];
  const options = { clientId: honest.deviceId, cert: honest.fullchain };
  const session = await connectMqtt({ port: server.mqttPort }, honest, options);
  let isClosed = false;
  const client = await connectRaw(server, hostile);
  await client.ask(client.record(connectPacket(hostile)), CONNACK_BYTES);
  const closed = flood(client).then(() => {
    isClosed = true;
  });
  while (!isClosed) await session.publishAsync(honest.topic, '{"a":1}', { qos: 1 });
  await closed;
  await session.publishAsync(honest.topic, '{"a":2}', { qos: 1 });
  assert.equal(session.connected, true);
  assert.equal(await closedConnections(server, "mqtt"), 1);
  await session.endAsync();
});

test("an HTTPS client that sends KeyUpdates after a request is disconnected", async (t) => {
  const server = await serverFor(t);
  const client = await rawTls(server.httpPort);
  client.socket.write(client.record(Buffer.from("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")));
  await flood(client);
  assert.equal(await closedConnections(server, "https"), 1);
});

test("a device with a separate record for each byte and acknowledgement is served", async (t) => {
  const server = await serverFor(t);
  const device = await enrollDevice(server, await newTenant(server));
  const client = await connectRaw(server, device);
  const bytewise = (bytes: Buffer) => Buffer.concat([...bytes].map((byte) => client.record([byte])));
  await client.ask(bytewise(connectPacket(device)), CONNACK_BYTES);
  // Some 132 KB without data.
  const acknowledgements = Array.from({ length: 6_000 }, () => client.record([0x40, 2, 0, 1]));
  await client.ask(Buffer.concat([...acknowledgements, bytewise(PING)]), PINGRESP_BYTES);
  // All clients had been checked when this one is closed.
  await flood(await rawTls(server.mqttPort));
  await client.ask(bytewise(PING), PINGRESP_BYTES);
  assert.equal(client.socket.closed, false);
  assert.equal(await closedConnections(server, "mqtt"), 1);
  client.socket.destroy();
});
