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

async function publishing(name: string, values: readonly number[]): Promise<string> {
  const device = await enrollDevice(server, tenant);
  const { devices } = server.app;
  await devices.replaceDevice(tenant.caller, device.deviceId, { name });
  const client = await connectMqtt(server, device);
  for (const temperature of values) {
    server.clock.advance(60_000);
    await client.publishAsync(device.topic, JSON.stringify({ temperature }), { qos: 1 });
  }
  await client.endAsync();
  return device.deviceId;
}

browserTest("a person compares a metric of several devices, in one chart each and in one", async () => {
  const [one, two] = [await publishing("Feed pump", [20, 21, 22]), await publishing("Press 7", [30, 31])];
  const silent = (await server.app.devices.createDevice(tenant.caller, { name: "Silent pump" })).id;
  // A range ends before its last instant.
  server.clock.advance(1_000);
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, (await signIn(server, tenant)).cookie);
  await page.clock.setFixedTime(server.clock.now());
  await page.goto("/devices");
  for (const id of [one, two, silent]) await page.getByRole("checkbox", { name: `Select ${id}` }).check();
  await page.getByRole("link", { name: "Compare devices" }).click();
  await page.getByRole("img", { name: /temperature of Feed pump/ }).waitFor();
  await page.getByRole("img", { name: /temperature of Press 7/ }).waitFor();
  await page.getByText("Nothing was measured in this time.").waitFor();
  await assertSound(window, "charts of several devices");
  await page.getByText("In one chart").click();
  await page.getByRole("img", { name: /temperature of the devices.*Feed pump 22.*Press 7 31/ }).waitFor();
  await page.getByText("Nothing was measured in this time by: Silent pump").waitFor();
  const { searchParams } = new URL(page.url());
  assert.deepEqual(searchParams.get("devices")!.split(",").sort(), [one, two, silent].sort());
  assert.equal(searchParams.get("view"), "together");
  await page.setViewportSize({ width: 390, height: 844 });
  await assertSound(window, "several devices in one chart");
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
