import assert from "node:assert/strict";
import { after, before } from "node:test";
import { connectMqtt, enrollDevice, newTenant, type TestTenant } from "../harness/devices.ts";
import { assertSoundInAllViews, browserTest, openPage, useSession } from "../harness/http/browser.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server?.stop());

browserTest("an administrator names a metric, tries a payload, and sees name and unit at the device", async () => {
  const device = await enrollDevice(server, tenant);
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, (await signIn(server, tenant)).cookie);
  await page.goto(`/device-types/${tenant.deviceTypeId}`);
  await page.getByRole("button", { name: "Change" }).click();
  const form = page.getByRole("dialog");
  await form.getByRole("button", { name: "Add a metric" }).click();
  await form.getByRole("textbox", { name: "Metric" }).and(page.locator(":focus")).waitFor();
  await form.getByRole("textbox", { name: "Metric" }).fill("t");
  await form.getByLabel("Name for people").fill("Bearing temperature");
  await form.getByLabel("Unit").fill("°C");
  await form.getByLabel("JSON Pointer").fill("d/temp");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("Enter a JSON Pointer that starts with /").waitFor();
  await form.getByLabel("JSON Pointer").fill("/d/temp");
  await form.getByLabel("Factor").fill("0.1");
  await assertSoundInAllViews(window, "metrics of a device type");
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "hidden" });
  const payload = page.getByLabel("Payload", { exact: true });
  await payload.fill('{"d":{"temp":215},"other":1}');
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await page.getByText("Everything would be stored: 1 value").waitFor();
  await page.getByRole("cell", { name: "21.5 °C" }).waitFor();
  await assertSoundInAllViews(window, "a tried payload");
  await payload.fill('{"d":{"temp":null}}');
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await page.getByText("Nothing would be stored").waitFor();
  await page.getByText("/d/temp", { exact: true }).nth(1).waitFor();
  await assertSoundInAllViews(window, "a refused payload");

  await page.getByRole("button", { name: "Change" }).click();
  await form.getByRole("button", { name: "Add a metric" }).click();
  const second = form.getByRole("group", { name: "Metric 2" });
  await second.getByText("Not stored without one: others have one.").waitFor();
  await second.getByRole("textbox", { name: "Metric" }).fill("flow");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("cell", { name: "none: not stored" }).waitFor();
  await payload.fill('{"d":{"temp":215},"flow":1}');
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await page.getByText("Never stored, for want of a JSON Pointer: flow").waitFor();
  await assertSoundInAllViews(window, "a metric without a JSON Pointer");

  const client = await connectMqtt(server, device);
  await client.publishAsync(device.topic, '{"d":{"temp":215}}', { qos: 1 });
  await page.goto(`/devices/${device.deviceId}`);
  await page.getByText("Bearing temperature").waitFor();
  await page.getByText("21.5 °C").waitFor();
  await page.goto(`/devices/${device.deviceId}?tab=telemetry`);
  await page.getByRole("heading", { name: "Bearing temperature (°C)" }).waitFor();
  await assertSoundInAllViews(window, "telemetry with a unit");
  await client.endAsync();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
