import assert from "node:assert/strict";
import { type Socket, connect as tcpConnect } from "node:net";
import { type TestContext, test } from "node:test";
import { connect as tlsConnect } from "node:tls";
import { connect as connectMqtt } from "../../broker/environment.ts";
import { rawClient } from "../../broker/raw-client.ts";
import { enrollDevice, newTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

/** Long handshake timeouts, so that even on a slow machine only a cap closes an idle connection. */
const PATIENT = { MUSTER_LIMIT_MQTT_HANDSHAKE_SECONDS: "600", MUSTER_LIMIT_MQTT_CONNECT_SECONDS: "600" };

async function serverWith(t: TestContext, env: Record<string, string>): Promise<TestServer> {
  const server = await startServer({ env: { ...PATIENT, ...env } });
  t.after(() => server.stop());
  return server;
}

/** A connection from one of this machine's loopback addresses, and whether it has been closed. */
interface Peer {
  socket: Socket;
  closed: Promise<void>;
  isClosed: boolean;
}

function watched(socket: Socket): Peer {
  socket.on("error", () => undefined).resume();
  const peer: Peer = { socket, isClosed: false, closed: Promise.resolve() };
  peer.closed = new Promise((resolve) =>
    socket.once("close", () => {
      peer.isClosed = true;
      resolve();
    }),
  );
  return peer;
}

async function openTcp(port: number, localAddress: string): Promise<Peer> {
  const socket = tcpConnect({ host: "127.0.0.1", port, localAddress });
  const peer = watched(socket);
  await new Promise<void>((resolve) => {
    socket.once("connect", resolve);
    socket.once("close", () => resolve());
  });
  return peer;
}

/** An HTTPS connection that has sent one request, has received its answer, and stays open. */
async function openHttps({ httpPort, ca }: TestServer, localAddress: string): Promise<Peer> {
  const socket = tlsConnect({ host: "127.0.0.1", port: httpPort, localAddress, servername: "localhost", ca } as never);
  const answered = new Promise<void>((resolve) => {
    socket.once("data", () => resolve());
    socket.once("close", () => resolve());
  });
  const peer = watched(socket);
  socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await answered;
  return peer;
}

async function several<T>(count: number, open: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let n = 0; n < count; n++) all.push(await open());
  return all;
}

/** Resolves when `count` of them are closed. */
async function closedOf(peers: Peer[], count: number): Promise<void> {
  while (peers.filter(({ isClosed }) => isClosed).length < count) {
    await Promise.race(peers.filter(({ isClosed }) => !isClosed).map(({ closed }) => closed));
  }
}

async function closedConnections({ app }: TestServer, listener: string, cap: string): Promise<number> {
  const line = `muster_connections_closed_total{listener="${listener}",cap="${cap}"} `;
  const found = (await app.metrics.text()).split("\n").find((each) => each.startsWith(line));
  return Number(found?.slice(line.length) ?? 0);
}

test("half-open MQTT handshakes of one address displace each other, and those of no other address", async (t) => {
  const server = await serverWith(t, { MUSTER_LIMIT_MQTT_UNAUTHENTICATED: "20" });
  const honest = await openTcp(server.mqttPort, "127.0.0.2");
  const attacker = await several(60, () => openTcp(server.mqttPort, "127.0.0.3"));
  await closedOf(attacker, 41);
  assert.equal(honest.isClosed, false, "though it is the oldest");
  const device = await enrollDevice(server, await newTenant(server));
  const session = await connectMqtt({ port: server.mqttPort }, device, {
    clientId: device.deviceId,
    cert: device.fullchain,
  });
  await session.publishAsync(device.topic, '{"a":1}', { qos: 1 });
  assert.ok((await closedConnections(server, "mqtt", "unauthenticated")) >= 41);
  const lines = server.logs.filter((line) => line.includes("a cap is reached"));
  assert.equal(lines.length, 1, "one log line a minute");
  assert.match(lines[0]!, /"cap":"unauthenticated".*"address":"127\.0\.0\.3"/);
  await session.endAsync();
  for (const { socket } of [honest, ...attacker]) socket.destroy();
});

test("above its cap an address's new MQTT connections are closed immediately, counting authenticated ones", async (t) => {
  const server = await serverWith(t, { MUSTER_LIMIT_MQTT_CONNECTIONS_PER_ADDRESS: "3" });
  const device = await enrollDevice(server, await newTenant(server));
  const options = { clientId: device.deviceId, cert: device.fullchain, localAddress: "127.0.0.2" };
  const session = await connectMqtt({ port: server.mqttPort }, device, options as never);
  const waiting = await several(2, () => openTcp(server.mqttPort, "127.0.0.2"));
  const above = await openTcp(server.mqttPort, "127.0.0.2");
  await above.closed;
  const elsewhere = await openTcp(server.mqttPort, "127.0.0.3");
  await session.publishAsync(device.topic, '{"a":1}', { qos: 1 });
  assert.deepEqual(
    [...waiting, elsewhere].map(({ isClosed }) => isClosed),
    [false, false, false],
  );
  assert.equal(await closedConnections(server, "mqtt", "address"), 1);
  await session.endAsync();
  for (const { socket } of [...waiting, elsewhere]) socket.destroy();
});

test("when the process has its maximum of sessions, the address with most of them loses one", async (t) => {
  const server = await serverWith(t, { MUSTER_LIMIT_MQTT_CONNECTIONS: "3" });
  const tenant = await newTenant(server);
  const connectFrom = async (localAddress: string) => {
    const device = await enrollDevice(server, tenant);
    const options = { clientId: device.deviceId, cert: device.fullchain, localAddress };
    const client = await connectMqtt({ port: server.mqttPort }, device, options as never);
    return { device, client, ended: new Promise<void>((resolve) => client.once("close", () => resolve())) };
  };
  const [first, second] = [await connectFrom("127.0.0.2"), await connectFrom("127.0.0.2")];
  const [other, last] = [await connectFrom("127.0.0.3"), await connectFrom("127.0.0.4")];
  await first.ended;
  assert.deepEqual(
    [second, other, last].map(({ client }) => client.connected),
    [true, true, true],
  );
  const endReason = async () => {
    await server.app.connections.flush();
    return (await server.app.devices.getDevice(tenant.caller, first.device.deviceId)).connectivity.reason;
  };
  assert.equal(await eventually(endReason), "evicted");
  for (const { client } of [second, other, last]) await client.endAsync();
});

test("HTTPS connections count after their first request: the address with most of them loses its longest-idle one", async (t) => {
  const server = await serverWith(t, { MUSTER_LIMIT_HTTPS_CONNECTIONS: "10" });
  const honest = await openHttps(server, "127.0.0.2");
  const attacker = await several(9, () => openHttps(server, "127.0.0.3"));
  attacker[0]!.socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await new Promise((resolve) => attacker[0]!.socket.once("data", resolve));
  const more = await several(5, () => openHttps(server, "127.0.0.3"));
  await closedOf(attacker, 5);
  assert.deepEqual(
    attacker.map(({ isClosed }) => isClosed),
    [false, true, true, true, true, true, false, false, false],
  );
  const late = await openHttps(server, "127.0.0.4");
  assert.deepEqual(
    [honest, late].map(({ isClosed }) => isClosed),
    [false, false],
  );
  assert.equal(await closedConnections(server, "https", "total"), 6);
  for (const { socket } of [honest, late, ...attacker, ...more]) socket.destroy();
});

test("above its cap an address loses its own idle HTTPS connections, and a trusted proxy's address has no cap", async (t) => {
  const cap = { MUSTER_LIMIT_HTTPS_CONNECTIONS_PER_ADDRESS: "3" };
  const server = await serverWith(t, { ...cap, MUSTER_TRUSTED_PROXIES: "127.0.0.9" });
  const proxied = await several(8, () => openHttps(server, "127.0.0.9"));
  const other = await openHttps(server, "127.0.0.2");
  const greedy = await several(5, () => openHttps(server, "127.0.0.3"));
  await closedOf(greedy, 2);
  assert.deepEqual(
    greedy.map(({ isClosed }) => isClosed),
    [true, true, false, false, false],
  );
  assert.deepEqual(
    [...proxied, other].filter(({ isClosed }) => isClosed),
    [],
  );
  assert.equal(await closedConnections(server, "https", "address"), 2);
  for (const { socket } of [...proxied, other, ...greedy]) socket.destroy();
});

test("a client that has not sent its CONNECT counts as unauthenticated, however far its TLS handshake is", async (t) => {
  const server = await serverWith(t, { MUSTER_LIMIT_MQTT_UNAUTHENTICATED: "4" });
  const clients = await several(6, () => rawClient({ port: server.mqttPort }));
  await Promise.all(clients.slice(0, 2).map(({ ended }) => ended));
  assert.deepEqual(
    clients.slice(2).map(({ socket }) => socket.destroyed),
    [false, false, false, false],
  );
  for (const { socket } of clients) socket.destroy();
});
