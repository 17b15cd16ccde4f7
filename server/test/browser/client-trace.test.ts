import assert from "node:assert/strict";
import { after, before } from "node:test";
import { connectMqtt, enrollDevice, newTenant, type TestTenant } from "../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession } from "../harness/http/browser.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server?.stop());

browserTest("an admin watches what a device sends, and why nothing or not everything of it is stored", async () => {
  const device = await enrollDevice(server, tenant);
  const window = await openPage(server, { viewport: { width: 390, height: 844 } });
  const { page } = window;
  await useSession(window, server, (await signIn(server, tenant)).cookie);
  // The browser's clock counts the five minutes.
  await page.clock.setFixedTime(server.clock.now());
  await page.goto(`/devices/${device.deviceId}?tab=refused`);
  await page.getByRole("link", { name: "Watch its messages live" }).click();
  await page.getByText("The client is not being watched").waitFor();
  await page.getByRole("button", { name: "Watch for five minutes" }).click();
  await page.getByText("Recorded until").waitFor();
  const client = await connectMqtt(server, device);
  await client.publishAsync(device.topic, '{"temperature":21.5}', { qos: 1 });
  await client.publishAsync(device.topic, "temperature=21.5", { qos: 1 });
  await page.getByText("Not stored", { exact: true }).waitFor();
  await page.getByText("Published", { exact: true }).waitFor();
  await client.publishAsync(device.topic, '{"temperature":21.5,"door":[]}', { qos: 1 });
  await page.getByText("Partly stored", { exact: true }).waitFor();
  await page.getByText(/door/).first().waitFor();
  await assertSound(window, "trace");
  await client.endAsync();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
