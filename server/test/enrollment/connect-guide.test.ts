import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { openTestDatabase } from "../harness/database/database.ts";
import { enrollDevice, newTenant, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { testFeatures } from "../harness/features.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

const run = promisify(execFile);

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let device: TestDevice;
/** Creates a folder with the files that the examples read. */
let folder: string;

before(async () => {
  server = await startServer();
  await server.app.telemetry.maintainPartitions();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
  device = await enrollDevice(server, tenant);
  folder = await mkdtemp(join(tmpdir(), "muster-guide-"));
  await symlink(join(import.meta.dirname, "../../../node_modules"), join(folder, "node_modules"));
  const { key, cert, chain, fullchain } = device;
  const files = { "key.pem": key, "cert.pem": cert, "chain.pem": chain, "fullchain.pem": fullchain };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
});
after(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

async function guideOf(deviceId: string) {
  const { status, json, text } = await admin.call("GET", `/devices/${deviceId}/connect-guide`);
  assert.equal(status, 200, text);
  const example = (tool: string): string => json.examples.find((each: { tool: string }) => each.tool === tool).text;
  return { guide: json, example };
}

test("the program of the guide connects as the device and publishes", async () => {
  const { guide, example } = await guideOf(device.deviceId);
  assert.deepEqual(
    [guide.clientId, guide.publishTopics, guide.port],
    [device.deviceId, [device.topic], server.mqttPort],
  );
  await writeFile(join(folder, "ca.pem"), guide.serverCaBundle);
  await writeFile(join(folder, "publish.mjs"), example("mqtt.js"));
  await run(process.execPath, ["publish.mjs"], { cwd: folder });
  const [latest] = await server.app.telemetry.listLatest(tenant.caller, device.deviceId);
  assert.deepEqual([latest?.metric, latest?.value], ["temperature", 21.5]);
});

test("every example contains the device's own values and names every file that it reads", async () => {
  const { guide } = await guideOf(device.deviceId);
  const publishing = guide.examples.filter(
    ({ tool }: { tool: string }) => !["openssl", "curl", "agent"].includes(tool),
  );
  assert.equal(publishing.length, 4);
  for (const { text } of publishing)
    for (const value of [guide.host, String(guide.port), guide.clientId, device.topic]) assert.ok(text.includes(value));
  const known = new Set(guide.files.map(({ name }: { name: string }) => name));
  for (const { tool, text } of guide.examples)
    for (const [name] of text.matchAll(/\b\w+\.pem\b/g)) assert.ok(known.has(name), `${tool} reads ${name}`);
});

test("a broker with an IPv6 address and an unusual port is written as each program expects", async () => {
  const database = await openTestDatabase();
  const addresses = { baseUrl: "https://[2001:db8::1]:9443", brokerUrl: "mqtts://[2001:db8::1]:9883" };
  const { access, devices, enrollment } = testFeatures({ database, clock: new FakeClock(), addresses });
  try {
    await access.createTenant({ slug: "acme", name: "Acme" });
    const caller = await access.systemCaller("acme");
    const type = { name: "Pump", publishTopics: ["telemetry/{deviceId}"] };
    const { id: deviceTypeId } = await devices.createDeviceType(caller, type);
    await devices.createDevice(caller, { id: "pump-6", name: "Pump", deviceTypeId });
    const { host, port, examples } = await enrollment.connectGuide(caller, "pump-6");
    assert.deepEqual([host, port], ["2001:db8::1", 9883]);
    const wanted = {
      openssl: "-connect [2001:db8::1]:9883 -noservername",
      curl: "'https://[2001:db8::1]:9443/api/provisioning/cert/renew'",
      mosquitto: "-h 2001:db8::1 -p 9883",
      "mqtt.js": 'host: "2001:db8::1",',
      paho: 'client.connect("2001:db8::1", 9883)',
      "esp-idf": '"mqtts://[2001:db8::1]:9883"',
    };
    for (const [tool, part] of Object.entries(wanted))
      assert.ok(examples.find((each) => each.tool === tool)!.text.includes(part), tool);
  } finally {
    await database.close();
    await database.remove();
  }
});

test("a device without a certificate has the topics of its type; without a type nothing publishes", async () => {
  await admin.call("POST", "/devices", { body: { id: "new-1", name: "New", deviceTypeId: tenant.deviceTypeId } });
  const { guide } = await guideOf("new-1");
  assert.deepEqual([guide.publishTopics, guide.certificateState], [[`t/${tenant.slug}/telemetry/new-1`], "none"]);
  await admin.call("POST", "/devices", { body: { id: "bare-1", name: "Bare" } });
  const bare = (await guideOf("bare-1")).guide;
  assert.deepEqual(
    [bare.publishTopics, bare.examples.map(({ tool }: { tool: string }) => tool)],
    [[], ["openssl", "curl", "agent"]],
  );
  const viewer = await signIn(server, tenant, "viewer");
  assert.equal((await viewer.call("GET", "/devices/new-1/connect-guide")).status, 404);
});
