import assert from "node:assert/strict";
import { after, before } from "node:test";
import { enrollDevice, newTenant, redeem, redemption, type TestTenant } from "../harness/devices.ts";
import { assertSoundInAllViews, browserTest, openPage, useSession } from "../harness/http/browser.ts";
import { chooseFilter } from "../harness/http/filters.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
const LONG = "Umwälzpumpe des nördlichen Kühlkreislaufs ".repeat(3).slice(0, 119);

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
  const { groups, devices } = server.app;
  const hall = await groups.createGroup(tenant.caller, { name: "Hall 3" });
  const place = (site: string) => ({ metadata: { site, floor: 2 } });
  await devices.createDevice(tenant.caller, { id: "pump-1", name: "Pump", groupIds: [hall.id], ...place("North") });
  await devices.createDevice(tenant.caller, { id: "pump-2", name: "Pump", ...place("South") });
  await devices.createDevice(tenant.caller, { id: "long-1", name: LONG, ...place("South") });
  await devices.createDevice(tenant.caller, { id: "rtl-1", name: "مضخة المياه الرئيسية", groupIds: [hall.id] });
});
after(() => server?.stop());

async function opened(path: string) {
  const window = await openPage(server);
  await useSession(window, server, admin.cookie);
  await window.page.goto(path);
  return window;
}

browserTest(
  "devices are filtered by several fields of their metadata, which are columns, all in the address",
  async () => {
    const window = await opened("/devices");
    const { page } = window;
    await page.getByText("4 devices", { exact: true }).waitFor();
    await chooseFilter(page, "site", "North");
    await chooseFilter(page, "site", "South");
    await page.getByText("3 devices", { exact: true }).waitFor();
    await page.getByRole("button", { name: "site is North, South" }).waitFor();
    await page.getByRole("button", { name: "Columns" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("checkbox", { name: "Groups" }).check();
    await dialog.getByRole("checkbox", { name: "site" }).check();
    await dialog.getByLabel("Density").selectOption("compact");
    await assertSoundInAllViews(window, "columns of devices");
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.reload();
    await page.getByRole("columnheader", { name: "site" }).waitFor();
    await page.getByRole("cell", { name: "Hall 3" }).waitFor();
    await assertSoundInAllViews(window, "devices with columns");
    await chooseFilter(page, "Group", "Hall 3", { not: true });
    await page.getByText("2 devices", { exact: true }).waitFor();
    const box = await page.getByRole("link", { name: LONG }).boundingBox();
    assert.ok(box!.width < 320, `${box!.width}`);
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

browserTest("a CSV file is previewed, imported with a result per row, and changes nothing when repeated", async () => {
  const window = await opened("/devices");
  const { page } = window;
  const dialog = page.getByRole("dialog");
  const buffer = Buffer.from(
    "id;name;groups;metadata.site\npump-1;Feed pump 1;;West\nvalve-1;Valve 1;hall 3;\nvalve-2;;;\nvalve-1;Valve 2;;\n",
  );
  await page.getByRole("button", { name: "Import" }).click();
  await dialog.locator('input[type="file"]').setInputFiles({ name: "pumps.csv", mimeType: "text/csv", buffer });
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText("Preview: 1 to add, 1 to change, 0 unchanged, 2 refused. Nothing is changed yet.").waitFor();
  await dialog.getByText("Pump → Feed pump 1").waitFor();
  await dialog.getByText("Name must be 1 to 120 characters").waitFor();
  await dialog.getByText("Row 2 names the same device").waitFor();
  await assertSoundInAllViews(window, "import of devices");
  await dialog.getByRole("button", { name: "Import 2 devices" }).click();
  await dialog.getByText("1 added, 1 changed, 0 unchanged, 2 refused").waitFor();
  await dialog.getByRole("button", { name: "Import 2 devices" }).click();
  await dialog.getByText("0 added, 0 changed, 2 unchanged, 2 refused").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("link", { name: "Feed pump 1" }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a group shows its devices and gets another one, found by name among equal ones", async () => {
  const { id } = await server.app.groups.createGroup(tenant.caller, { name: "Yard" });
  const window = await opened(`/groups/${id}`);
  const { page } = window;
  const dialog = page.getByRole("dialog");
  await page.getByText("No device is in this group yet.").waitFor();
  await page.getByRole("button", { name: "Add devices" }).click();
  await dialog.getByLabel("Search by name, id or fingerprint").fill("pump-2");
  await dialog.getByRole("checkbox", { name: /pump-2 · South/ }).check();
  await assertSoundInAllViews(window, "devices of a group");
  await dialog.getByRole("button", { name: "Add devices" }).click();
  await page.getByRole("link", { name: "1 device", exact: true }).waitFor();
  await page.getByText("pump-2 · Yard · South").waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("an admin allows a device to enroll again, and its claim enrolls it under its id", async () => {
  const device = await enrollDevice(server, tenant);
  const { hardwareFingerprint } = await server.app.devices.getDevice(tenant.caller, device.deviceId);
  const window = await opened(`/devices/${device.deviceId}`);
  const { page } = window;
  await page.getByRole("button", { name: "Allow re-enrollment" }).click();
  await assertSoundInAllViews(window, "allow re-enrollment");
  await page.getByRole("dialog").getByRole("button", { name: "Create code" }).click();
  await page.waitForURL("**/claims/**");
  const code = (await page
    .getByText(/^CLAIM(-\w{4}){3}$/)
    .first()
    .textContent())!;
  const { body } = await redemption(code, { hardwareFingerprint });
  const answer = await redeem(server, body);
  assert.equal(answer.json.deviceId, device.deviceId, answer.text);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a phone chooses the parts of a device from a list", async () => {
  const window = await opened("/devices/pump-1");
  const { page } = window;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByLabel("Parts of the device").and(page.locator("select")).selectOption({ label: "History" });
  await page.waitForURL("**tab=history");
  await page.getByRole("heading", { name: "History" }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
