import assert from "node:assert/strict";
import { hash, X509Certificate } from "node:crypto";
import { type TestContext, test } from "node:test";
import { connect } from "node:tls";
import type mqtt from "mqtt";
import { connectMqtt, enrollDevice, newTenant, renew, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** A server with one device that stays connected. After each step `check` proves that all devices are still served. */
async function rehearsal(t: TestContext) {
  const server = await startServer();
  const clients: mqtt.MqttClient[] = [];
  t.after(async () => {
    for (const client of clients) client.end(true);
    await server.stop();
  });
  const tenant = await newTenant(server);
  const connected = await enrollDevice(server, tenant);
  const [bystander, renewing] = [await enrollDevice(server, tenant), await enrollDevice(server, tenant)];
  const session = await connectMqtt(server, connected);
  clients.push(session);
  let closings = 0;
  session.on("close", () => closings++);

  async function comesAndPublishes(device: TestDevice): Promise<void> {
    const client = await connectMqtt(server, device);
    clients.push(client);
    await client.publishAsync(device.topic, '{"temperature":21.5}', { qos: 1 });
    await client.endAsync();
  }

  return {
    server,
    tenant,
    bystander,
    renewing,
    comesAndPublishes,
    check: async () => {
      await session.publishAsync(connected.topic, '{"temperature":21.5}', { qos: 1 });
      assert.equal(closings, 0, "the connected device's session stayed up");
      await comesAndPublishes(await enrollNow(server, tenant));
      await comesAndPublishes(bystander);
      await comesAndPublishes(await renewed(server, renewing));
    },
  };
}

/** Connects to the server as a client that has fetched today's CA bundle. */
function today(server: TestServer): TestServer {
  return { ...server, ca: server.app.authorities.serverCaBundlePem() };
}

function enrollNow(server: TestServer, tenant: TestTenant): Promise<TestDevice> {
  return enrollDevice(today(server), tenant);
}

/** Returns `device` with the certificate, chain and CA bundle of a renewal, and updates `device` itself. */
async function renewed(server: TestServer, device: TestDevice): Promise<TestDevice> {
  const { answer, key } = await renew(today(server), device);
  assert.equal(answer.status, 200, answer.text);
  const { clientCert, clientCertChain, serverCaBundle } = answer.json;
  const fullchain = clientCert + clientCertChain;
  return Object.assign(device, { key, cert: clientCert, chain: clientCertChain, fullchain, ca: serverCaBundle });
}

/** Returns the SHA-256 fingerprint of the certificate that a new connection to `port` receives. */
function served(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, servername: "localhost" }, () => {
      resolve(hash("sha256", socket.getPeerCertificate().raw, "hex"));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

function fingerprint(pem: string): string {
  return hash("sha256", new X509Certificate(pem).raw, "hex");
}

function issuerOf(device: TestDevice): string {
  return new X509Certificate(device.cert).issuer;
}

test("rotate-intermediate with a device connected throughout: old, new and renewed devices are all served", async (t) => {
  const { server, tenant, bystander, check } = await rehearsal(t);
  await server.app.authorities.rotateIntermediate();
  await check();
  const fresh = await enrollNow(server, tenant);
  assert.notEqual(issuerOf(fresh), issuerOf(bystander));
  assert.notEqual(fresh.chain, bystander.chain);
});

test("rotate-root with a device connected throughout: leaves of both roots connect, the new server root is announced", async (t) => {
  const { server, renewing, bystander, check } = await rehearsal(t);
  const before = await served(server.mqttPort);
  await server.app.authorities.rotateRoot();
  await check();
  assert.notEqual(issuerOf(renewing), issuerOf(bystander));
  assert.equal(await served(server.mqttPort), before, "the servers still show the old root's certificate");
  assert.ok(renewing.ca.length > bystander.ca.length, "the renewed device knows both server roots");
});

test("rotate-server with a device connected throughout: the next connection sees the new certificates, without a restart", async (t) => {
  const { server, check } = await rehearsal(t);
  const before = [await served(server.mqttPort), await served(server.httpPort)];
  await server.app.authorities.rotateServer();
  const { authorities } = server.app;
  assert.deepEqual(
    [await served(server.mqttPort), await served(server.httpPort)],
    [fingerprint(authorities.brokerTls().cert), fingerprint(authorities.httpsTls().cert)],
  );
  assert.ok(!before.includes(await served(server.mqttPort)));
  await check();
});

test("a server root is activated after its overlap: devices renewed in between connect, and the old session stays", async (t) => {
  const { server, tenant, renewing, bystander, check, comesAndPublishes } = await rehearsal(t);
  await server.app.authorities.rotateRoot();
  await check();
  await renewed(server, bystander);
  const uninformed = await enrollNow(server, tenant);
  uninformed.ca = server.ca;
  await server.app.authorities.rotateRoot({ immediately: true });
  await check();
  await comesAndPublishes(renewing);
  await assert.rejects(connectMqtt(server, uninformed), /self-signed|unable to (get|verify)/);
});
