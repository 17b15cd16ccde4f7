import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { createEngine } from "../../src/broker/engine/engine.ts";
import { HOUR } from "../../src/lib/clock.ts";
import { missingTool } from "../../src/pki/test-support/tools.ts";
import { eventually } from "../harness/eventually.ts";
import { journal, startBroker, type TestBroker } from "./environment.ts";
import { connectPacket, rawClient } from "./raw-client.ts";

let broker: TestBroker;

before(async () => {
  broker = await startBroker(createEngine);
});
after(() => broker.stop());

async function connectWithoutCertificate(clientId: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const client = await rawClient(broker);
    client.send(connectPacket({ clientId }));
    await client.ended;
  }
}

// First: TLS compares certificates with the real time, which the next test leaves behind.
test("the certificate request names the intermediate, which no chain may lead through unless the client sends it", async (t) => {
  const missing = missingTool("openssl");
  if (missing) return t.skip(missing);
  const device = await broker.enroll();
  const issuer = new X509Certificate(device.fullchain.slice(device.cert.length)).subject;
  const text = await requestOf(broker.port);
  assert.ok(text.includes(issuer.replaceAll("=", " = ")) || text.includes(issuer), text.slice(0, 2_000));

  const client = await rawClient(broker, { ...device, fullchain: device.cert });
  client.send(connectPacket({ clientId: device.deviceId }));
  await client.ended;
  assert.equal(client.received().length, 0, "no CONNACK");
  assert.ok(await eventually(async () => (await journal(broker)).includes("no_chain")));
});

test("a client without a certificate is listed for the platform, and once an hour for the tenant of the claimed device", async () => {
  const { clock, connections, caller } = broker;
  const device = await broker.enroll();
  const entries = async () => {
    const { items } = await connections.listRefusals(caller, { deviceId: device.deviceId, skip: 0, limit: 10 });
    return items.map(({ reason, occurrences, tlsVersion, clientId }) => [reason, occurrences, tlsVersion, clientId]);
  };
  const entry = (occurrences: number) => ["no_credentials", occurrences, "TLSv1.3", device.deviceId];
  await connectWithoutCertificate(device.deviceId, 3);
  await connectWithoutCertificate(`${device.deviceId}-other`, 1);
  assert.ok(await eventually(async () => (await entries())[0]?.[1] === 3));
  assert.deepEqual(await entries(), [entry(3)]);
  clock.advance(HOUR);
  await connectWithoutCertificate(device.deviceId, 1);
  assert.ok(await eventually(async () => (await entries()).length === 2));

  const platform = { ...caller, rights: { kind: "user", userId: "u", role: "admin", platform: true } } as const;
  const unknown = await connections.listUnknownRefusals(platform, { skip: 0, limit: 10 });
  const clients = unknown.items.map(({ clientId, remoteAddress, tlsVersion }) =>
    [clientId, remoteAddress, tlsVersion].join(" "),
  );
  assert.ok(clients.includes(`${device.deviceId} 127.0.0.1 TLSv1.3`), clients.join());
  assert.ok(clients.includes(`${device.deviceId}-other 127.0.0.1 TLSv1.3`), clients.join());
});

test("a flood of claims of one device adds one entry to its tenant's journal", async () => {
  const device = await broker.enroll();
  await connectWithoutCertificate(device.deviceId, 60);
  const { connections, caller } = broker;
  const query = { deviceId: device.deviceId, skip: 0, limit: 100 };
  assert.ok(await eventually(async () => (await connections.listRefusals(caller, query)).total > 0));
  assert.equal((await connections.listRefusals(caller, query)).total, 1);
});

/** Returns what OpenSSL prints about a connection, with the names in the certificate request. */
function requestOf(port: number): Promise<string> {
  const openssl = spawn("openssl", ["s_client", "-connect", `127.0.0.1:${port}`], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  openssl.stdin.end();
  return new Promise((resolve, reject) => {
    let text = "";
    openssl.stdout.on("data", (chunk) => {
      text += chunk;
    });
    openssl.on("error", reject);
    openssl.on("close", () => resolve(text));
  });
}
