import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertSound, browserTest, openPage, useSession, VIEWS, type Watched } from "../harness/browser.ts";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let device: TestDevice;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
  device = await enrollDevice(server, tenant);
  const client = await connectMqtt(server, device);
  await client.publishAsync(device.topic, JSON.stringify({ temperature: 21.5, mode: "auto" }), { qos: 1 });
  await client.publishAsync(device.topic, "temperature=21.5", { qos: 1 });
  await client.endAsync();
  const other = { name: "<img src=x onerror=alert(1)>", id: "spare-1" };
  await server.app.devices.createDevice(tenant.caller, other);
});
after(() => server?.stop());

async function signedIn(options: Parameters<typeof openPage>[1] = {}): Promise<Watched> {
  const window = await openPage(server, options);
  await useSession(window, server, admin.cookie);
  return window;
}

const SCREENS = {
  lists: () => ["/", "/devices"],
  "connection and account": () => ["/connect", "/account"],
  device: () => ["", "?tab=telemetry", "?tab=certificates", "?tab=connections"].map(ofDevice),
  "history and connection": () => ["?tab=history", "?tab=rejected", "/connect"].map(ofDevice),
};

function ofDevice(rest: string): string {
  return `/devices/${device.deviceId}${rest}`;
}

for (const view of VIEWS) {
  for (const [name, screens] of Object.entries(SCREENS)) {
    browserTest(`the screens are sound: ${name}, ${view.colorScheme}, ${view.viewport.width} pixels wide`, async () => {
      const window = await signedIn(view);
      for (const path of screens()) {
        await window.page.goto(path);
        await window.page.getByRole("heading", { level: 1 }).waitFor();
        await window.page.waitForLoadState("load");
        await assertSound(window, path);
      }
      await window.context.close();
    });
  }
}

browserTest("devices are narrowed and sorted by the address of the page, which can be reopened", async () => {
  const window = await signedIn();
  const { page } = window;
  await page.goto("/devices");
  const rows = page.getByRole("table", { name: "Devices" }).locator("tbody tr");
  await page.getByRole("link", { name: "<img src=x onerror=alert(1)>" }).waitFor();
  assert.equal(await rows.count(), 2);
  await page.getByLabel("Connection").selectOption({ label: "not never seen" });
  await page.getByText("1 device", { exact: true }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("connectivity"), "!never_seen");
  await page.reload();
  await page.getByText("1 device", { exact: true }).waitFor();
  await page.getByLabel("Name or device id").fill("no such device");
  await page.getByText("No device matches the filters").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await page.getByText("2 devices", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Device id" }).click();
  await page.waitForURL("**sort=id**");
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest(
  "a device is added, edited and deleted; deleting asks for its id and, after a while, for the password",
  async () => {
    const window = await signedIn();
    const { page } = window;
    await page.goto("/devices");
    await page.getByRole("button", { name: "Add device" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Press 7");
    await page.getByLabel("Device id", { exact: true }).fill("press 7");
    await page.getByRole("dialog").getByRole("button", { name: "Add device" }).click();
    await page.getByRole("dialog").getByLabel("Device id", { exact: true }).fill("press-7");
    await page.getByRole("dialog").getByRole("button", { name: "Add device" }).click();
    await page.waitForURL("**/devices/press-7");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Description").fill("Hall 3");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("definition").getByText("Hall 3").waitFor();
    server.clock.advance(11 * 60_000);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const confirm = page.getByRole("button", { name: "Delete device" });
    assert.equal(await confirm.isDisabled(), true);
    await page.getByLabel("Type press-7 to confirm").fill("press-7");
    await confirm.click();
    await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
    await page.getByRole("textbox", { name: "Password" }).fill(admin.password);
    await page.getByRole("button", { name: "Confirm", exact: true }).click();
    await page.getByText("Press 7 is deleted.").waitFor();
    await page.waitForURL("**/devices");
    await page.getByText("2 devices", { exact: true }).waitFor();
    await window.context.close();
  },
);
