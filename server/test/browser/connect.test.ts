import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { promisify } from "node:util";
import { connectMqtt, enrollDevice, newTenant, renew, type TestTenant } from "../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession } from "../harness/http/browser.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { signIn } from "../harness/sign-in.ts";

const run = promisify(execFile);
let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server?.stop());

function hasTools(): boolean {
  try {
    execFileSync("sh", ["-c", "command -v openssl && command -v curl && command -v mosquitto_pub"]);
    return true;
  } catch {
    return false;
  }
}

browserTest("the commands of the screen connect a device, and the screen shows its first reading", async (t) => {
  if (!hasTools()) return t.skip("openssl, curl or mosquitto_pub is missing");
  const folder = mkdtempSync(join(tmpdir(), "muster-connect-"));
  const window = await openPage(server, { colorScheme: "dark", viewport: { width: 390, height: 844 } });
  try {
    const { page } = window;
    await useSession(window, server, (await signIn(server, tenant)).cookie);
    await page.goto("/");
    await page.getByRole("link", { name: "Connect a device" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("Feed pump 1");
    await page.getByRole("button", { name: "Continue" }).click();
    const commands = await page.getByRole("figure").locator("pre").textContent();
    await assertSound(window, "commands");
    await run("bash", ["-euc", commands ?? ""], { cwd: folder });
    await page.getByText("It is connected").waitFor();
    await page.getByText("Feed pump 1 has connected").waitFor();
    await page.getByText("21.5").waitFor();
    await assertSound(window, "connected");
    await page.getByRole("link", { name: "Watch its telemetry" }).click();
    await page.getByRole("img", { name: /temperature/ }).waitFor();
    assert.deepEqual(window.problems, []);
  } finally {
    await window.context.close();
    rmSync(folder, { recursive: true });
  }
});

browserTest(
  "the screen reports that a client lacks its chain, and that it connects once it presents the chain",
  async () => {
    const window = await openPage(server);
    const { page } = window;
    await useSession(window, server, (await signIn(server, tenant)).cookie);
    const device = await enrollDevice(server, tenant);
    await page.goto(`/devices/${device.deviceId}/connect`);
    await page.getByText("The device has not connected yet.").waitFor();
    await assert.rejects(connectMqtt(server, { ...device, fullchain: device.cert }));
    await page.getByText("The broker refused the device").waitFor();
    await page.getByText("the certificate followed by its chain").waitFor();
    await assertSound(window, "without its chain");
    const client = await connectMqtt(server, device);
    await page.getByText("The device is connected and has published nothing yet.").waitFor();
    await client.publishAsync(device.topic, JSON.stringify({ temperature: 19.5 }), { qos: 1 });
    await page.getByText("19.5").waitFor();
    await page.getByText("Connected", { exact: true }).waitFor();
    await client.endAsync();
    await page.getByText("Not connected", { exact: true }).waitFor();
    server.clock.advance(60_000);
    await assert.rejects(connectMqtt(server, { ...device, fullchain: device.cert }));
    await page.getByText("The broker refused the device").waitFor();
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

browserTest("a second device is connected from the same screen, with the keyboard alone", async () => {
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, (await signIn(server, tenant)).cookie);
  await page.goto("/connect");
  const nameField = page.getByLabel("Name", { exact: true });
  await nameField.and(page.locator(":focus")).waitFor();
  for (const name of ["Mixer 1", "Mixer 2"]) {
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    const commands = await page.getByRole("figure").locator("pre").textContent();
    assert.match(commands ?? "", new RegExp(`cd muster-device/${name.toLowerCase().replace(" ", "-")}-\\w{4}\n`));
    await page.locator(":focus", { hasText: /^Run this on the device/ }).waitFor();
    const claimCode = /CLAIM-[-\w]+/.exec(commands ?? "")![0];
    const device = await enrollDevice(server, tenant, { claimCode });
    const client = await connectMqtt(server, device);
    await client.publishAsync(device.topic, JSON.stringify({ speed: 3 }), { qos: 1 });
    await page.getByText(`${name} has connected`).waitFor();
    await client.endAsync();
    await page.getByText("the device is offline until its own client connects").waitFor();
    await page.getByRole("link", { name: "Connect a device" }).focus();
    await page.keyboard.press("Enter");
    await nameField.focus();
  }
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a device without a certificate leads to the bundle that provides one", async () => {
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, (await signIn(server, tenant)).cookie);
  await server.app.devices.createDevice(tenant.caller, { name: "Old compressor", id: "compressor-1" });
  await page.goto("/devices/compressor-1/connect");
  await page.getByRole("link", { name: "Issue a bundle" }).click();
  await page.getByText("Live bundles of compressor-1").waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a refusal appears on the open page and links to what the client of the device needs", async () => {
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, (await signIn(server, tenant)).cookie);
  const device = await enrollDevice(server, tenant);
  await page.goto(`/refusals?deviceId=${device.deviceId}`);
  await page.getByText("No refusal matches the filters").waitFor();
  await assert.rejects(connectMqtt(server, { ...device, fullchain: device.cert }));
  await page.getByRole("link", { name: "What its client needs" }).click();
  await page.getByText("The broker refused the device").waitFor();
  await renew(server, device);
  await assert.rejects(connectMqtt(server, device));
  await page.goto(`/refusals?deviceId=${device.deviceId}`);
  await page.getByText("Certificate replaced").waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
