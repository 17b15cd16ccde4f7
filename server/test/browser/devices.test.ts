import assert from "node:assert/strict";
import { after, before } from "node:test";
import { closed, connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession, type Watched } from "../harness/http/browser.ts";
import { chooseFilter } from "../harness/http/filters.ts";
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

browserTest("devices are filtered and sorted by the address of the page, which can be reopened", async () => {
  const window = await signedIn();
  const { page } = window;
  await page.goto("/devices");
  const rows = page.getByRole("table", { name: "Devices" }).locator("tbody tr");
  await page.getByRole("link", { name: "<img src=x onerror=alert(1)>" }).waitFor();
  assert.equal(await rows.count(), 2);
  await chooseFilter(page, "Connection", "never seen", { not: true });
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
  "a device is disconnected, its readings are listed, and revoking all its certificates closes its session permanently",
  async () => {
    const window = await signedIn();
    const { page } = window;
    const other = await enrollDevice(server, tenant);
    const [client, session] = [await connectMqtt(server, other), await connectMqtt(server, device)];
    await page.goto(`/devices/${other.deviceId}`);
    await page.getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await closed(client);
    await page.getByText(/^The session of .* is closed\.$/).waitFor();
    await page.getByRole("link", { name: "History" }).last().click();
    await page.getByText("Device disconnected").waitFor();
    await page.goto(`/devices/${device.deviceId}?tab=telemetry`);
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByRole("row", { name: /21\.5/ }).waitFor();
    await page.getByRole("link", { name: "Certificates", exact: true }).last().click();
    await page.getByRole("link", { name: "Issue bundle" }).waitFor();
    await page.getByRole("button", { name: "Revoke all" }).click();
    await page.getByText("The device is connected").waitFor();
    await page.getByText("so that it can enroll again and keeps its id").waitFor();
    await assertSound(window, "revoke all of a device");
    await page.getByLabel(`Type ${device.deviceId.slice(-4)} to confirm`).fill(device.deviceId.slice(-4));
    await page.getByRole("button", { name: "Revoke 1 certificate" }).click();
    await page.getByText(/^Revoked 1 certificate of /).waitFor();
    await closed(session);
    await page.getByRole("button", { name: "Revoke all", disabled: true }).waitFor();
    await assert.rejects(connectMqtt(server, device));
    await page.getByRole("link", { name: "History" }).last().click();
    await page.getByText("All certificates of a device revoked").waitFor();
    await page.getByRole("table", { name: "Certificates" }).getByText("Revoked").waitFor();
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

browserTest("a device gets groups and metadata; an operator can change neither its groups nor its type", async () => {
  const { groups, devices } = server.app;
  const operator = await signIn(server, tenant, "operator");
  await groups.createGroup(tenant.caller, { name: "Press hall", memberUserIds: [operator.userId] });
  await devices.createDevice(tenant.caller, { id: "press-9", name: "Press 9", deviceTypeId: tenant.deviceTypeId });
  const window = await signedIn();
  const { page } = window;
  await page.goto("/devices/press-9");
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("checkbox", { name: "Press hall" }).check();
  await page.getByLabel("Metadata").fill("hall: 3");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Enter a JSON object").waitFor();
  await page.getByLabel("Metadata").fill('{ "hall": 3 }');
  await assertSound(window, "edit a device");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("definition").getByText("Press hall").waitFor();
  await page.getByRole("definition").getByText('"hall": 3').waitFor();
  await window.context.close();
  const other = await openPage(server);
  await useSession(other, server, operator.cookie);
  await other.page.goto("/devices/press-9");
  await other.page.getByRole("button", { name: "Edit" }).click();
  await other.page.getByLabel("Description").fill("Hall 3");
  assert.equal(await other.page.getByRole("dialog").getByLabel("Type").count(), 0);
  assert.equal(await other.page.getByRole("checkbox", { name: "Press hall" }).count(), 0);
  await other.page.getByRole("button", { name: "Save" }).click();
  await other.page.getByRole("definition").getByText("Hall 3").waitFor();
  assert.deepEqual([...window.problems, ...other.problems], []);
  await other.context.close();
});

// This is last because a step-up replaces the session of the browser.
browserTest(
  "a device links the one that it depends on and those that depend on it, and names a missing one",
  async () => {
    const { devices } = server.app;
    await devices.createDevice(tenant.caller, { id: "gateway-1", name: "Gateway 1" });
    for (const [id, dependsOn] of [
      ["sensor-1", "gateway-1"],
      ["sensor-2", "gateway-9"],
    ] as const) {
      await devices.createDevice(tenant.caller, { id, name: id });
      await devices.replaceDevice(tenant.caller, id, { name: id, metadata: { dependsOn } });
    }
    const window = await signedIn();
    const { page } = window;
    await page.goto("/devices/sensor-1");
    await page.getByRole("definition").getByRole("link", { name: "Gateway 1" }).click();
    await page.getByRole("heading", { name: "Gateway 1" }).waitFor();
    await page.getByRole("definition").getByRole("link", { name: "1 device" }).click();
    await page.getByRole("table", { name: "Devices" }).getByRole("link", { name: "sensor-1" }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("metadata.dependsOn"), "gateway-1");
    await page.goto("/devices/sensor-2");
    await page.getByText("no device that you see has the id gateway-9").waitFor();
    await assertSound(window, "a device with a dependency");
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

browserTest(
  "a device is added, edited and deleted; the deletion asks for its id and, after a while, for the password",
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
    await page.getByText("7 devices", { exact: true }).waitFor();
    await window.context.close();
  },
);
