import assert from "node:assert/strict";
import { after, before } from "node:test";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { assertSoundInAllViews, browserTest, openPage, useSession } from "../harness/http/browser.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let earlier: TestDevice;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  earlier = await enrollDevice(server, tenant);
});
after(() => server?.stop());

browserTest(
  "an operator sends a command, cancels another, and sees that the device has acknowledged the first",
  async () => {
    const admin = await signIn(server, tenant);
    const window = await openPage(server);
    const { page } = window;
    await useSession(window, server, admin.cookie);
    await page.goto(`/devices/${earlier.deviceId}`);
    await page.getByText("No command waits for the device").waitFor();
    await page.getByRole("button", { name: "Send a command" }).click();
    await page.getByText("lists no topic that its devices may subscribe to").waitFor();
    await page.getByText("have the device renew its certificate").waitFor();
    await page.getByRole("dialog").getByRole("link", { name: "Pump" }).click();
    await page.waitForURL(`${server.httpUrl}/device-types/${tenant.deviceTypeId}`);
    const subscribeTopics = ["commands/{deviceId}"];
    await server.app.devices.updateDeviceType(tenant.caller, tenant.deviceTypeId, { subscribeTopics });
    const device = await enrollDevice(server, tenant);
    await page.goto(`/devices/${device.deviceId}`);
    for (const payload of ["open", "<img src=x onerror=alert(1)>"]) {
      await page.getByRole("button", { name: "Send a command" }).click();
      await page.getByLabel("Payload").fill(payload);
      await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
      await page.getByRole("cell", { name: payload, exact: true }).waitFor();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await assertSoundInAllViews(window, "commands of a device");
    const rows = page.getByRole("table", { name: /Commands that wait/ }).locator("tbody tr");
    await rows.filter({ hasText: "onerror" }).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Cancel the command" }).click();
    await page.getByText("1 command", { exact: true }).waitFor();
    const client = await connectMqtt(server, device);
    const received = new Promise((resolve) => client.on("message", (_topic, payload) => resolve(`${payload}`)));
    await client.subscribeAsync(`t/${tenant.slug}/commands/${device.deviceId}`, { qos: 1 });
    assert.equal(await received, "open");
    await page.getByText("No command waits for the device").waitFor();
    await client.endAsync();
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);
