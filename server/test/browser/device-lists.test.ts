import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before } from "node:test";
import { runSql } from "../harness/database/run-sql.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession, VIEWS, type Watched } from "../harness/http/browser.ts";
import { chooseFilter, fillFilter } from "../harness/http/filters.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let groupId: string;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
  groupId = (await server.app.groups.createGroup(tenant.caller, { name: "Hall 3" })).id;
  for (const id of ["a-1", "a-2", "a-3", "b-1", "press"]) {
    server.clock.advance(1);
    await server.app.devices.createDevice(tenant.caller, { id, name: `Device ${id}` });
  }
});
after(() => server?.stop());

async function signedIn(options: Parameters<typeof openPage>[1] = {}, user = admin): Promise<Watched> {
  const window = await openPage(server, { timezoneId: "Europe/Vienna", ...options });
  await useSession(window, server, user.cookie);
  return window;
}

browserTest("a list is downloaded as CSV, with the filters in its address", async () => {
  const window = await signedIn();
  const { page } = window;
  await page.goto("/devices?q=a-&sort=id");
  const saved = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download CSV" }).click();
  const file = await saved;
  assert.match(file.suggestedFilename(), /^devices-\d{4}-\d\d-\d\d\.csv$/);
  const lines = (await readFile(await file.path(), "utf8")).split("\r\n");
  assert.deepEqual(
    lines.slice(1, -1).map((line) => line.split(",")[0]),
    ["a-1", "a-2", "a-3"],
  );
  assert.equal(new URL(page.url()).pathname, "/devices");
  for (const path of ["/audit", "/certificates", "/claims", "/keys", "/users", "/device-types", "/refusals"]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const { total } = (await admin.call("GET", LISTS[path] ?? path)).json;
    await page.getByRole("link", { name: "Download CSV" }).waitFor({ state: total > 0 ? "visible" : "detached" });
  }
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

const LISTS: Record<string, string> = { "/audit": "/audit/admin" };

browserTest("filter times are in the user's time zone, to the minute, and are part of the address", async () => {
  const window = await signedIn();
  const { page } = window;
  await page.goto("/audit?act=!device.create");
  await page.getByRole("link", { name: "User created" }).first().waitFor();
  assert.equal(await page.getByRole("link", { name: "Device added" }).count(), 0);
  const asked = page.waitForRequest((request) => request.url().includes("from="));
  await fillFilter(page, "From", "2026-07-01T08:30");
  const { searchParams } = new URL((await asked).url());
  assert.deepEqual(
    [searchParams.get("from"), searchParams.get("notAct")],
    ["2026-07-01T06:30:00.000Z", "device.create"],
  );
  assert.equal(new URL(page.url()).searchParams.get("from"), "2026-07-01T08:30");
  await page.reload();
  await page.getByRole("button", { name: "From 2026-07-01 08:30" }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("devices are filtered by group, creation time and last-seen time, each in the address", async () => {
  const window = await signedIn();
  const { page } = window;
  await page.goto("/devices");
  await page.getByText("5 devices", { exact: true }).waitFor();
  const asked = page.waitForRequest((request) => request.url().includes("createdBefore="));
  await fillFilter(page, "Created before", "2020-07-01T08:30");
  assert.equal(new URL((await asked).url()).searchParams.get("createdBefore"), "2020-07-01T06:30:00.000Z");
  await page.getByText("No device matches the filters").waitFor();
  await fillFilter(page, "Created before", "");
  await fillFilter(page, "Created from", "2020-07-01T08:30");
  await page.getByText("5 devices", { exact: true }).waitFor();
  await fillFilter(page, "Last seen from", "2020-07-01T08:30");
  await page.getByText("No device matches the filters").waitFor();
  await fillFilter(page, "Last seen from", "");
  await chooseFilter(page, "Group", "Hall 3", { not: true });
  await page.getByText("5 devices", { exact: true }).waitFor();
  await page.reload();
  await page.getByText("5 devices", { exact: true }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("groupId"), `!${groupId}`);
  await page.getByRole("button", { name: "Group is not Hall 3" }).waitFor();
  await page.getByRole("button", { name: "Created from 2020-07-01 08:30" }).waitFor();
  await chooseFilter(page, "Group", "Hall 3", { not: false });
  await page.getByText("No device matches the filters").waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest(
  "a long filtered list shows a lower bound of the number of devices, and the whole list the exact number",
  async () => {
    const many = await newTenant(server);
    const { cookie } = await signIn(server, many);
    await runSql(
      server.app.database.db,
      `INSERT INTO devices (uid, tenant_id, id, name, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'many-' || n, 'Pump ' || n, $2, $2 FROM generate_series(1, 10080) n`,
      [many.caller.tenantId, server.clock.now()],
    );
    const window = await openPage(server);
    await useSession(window, server, cookie);
    const { page } = window;
    await page.goto("/devices");
    await page.getByText("1 to 50 of 10,080 devices", { exact: true }).waitFor();
    await chooseFilter(page, "Connection", "never seen");
    await page.getByText("1 to 50 of at least 10,050 devices", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Download up to 100,000 as CSV" }).waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("51 to 100 of 10,080 devices", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Download CSV" }).waitFor();
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

for (const view of VIEWS) {
  browserTest(`selected devices and the filters are sound, ${view.colorScheme}`, async () => {
    const window = await signedIn(view);
    const { page } = window;
    await page.goto("/devices");
    await page.getByRole("checkbox", { name: "Select a-2" }).check();
    await page.getByRole("button", { name: "Select all on this page" }).click();
    await page.getByText(/^\d devices selected$/).waitFor();
    await assertSound(window, `/devices selected ${view.colorScheme}`);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").waitFor();
    await assertSound(window, `/devices delete-many ${view.colorScheme}`);
    for (const path of ["/audit?from=2026-07-01T08:30", "/certificates?state=!revoked", "/refusals?reason=!no_chain"]) {
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("load");
      await assertSound(window, `${path} ${view.colorScheme}`);
    }
    await window.context.close();
  });
}

browserTest(
  "many devices are given a type and deleted with the keyboard alone, and refused ones stay selected",
  async () => {
    // A step-up begins another session.
    const other = await signIn(server, tenant);
    const window = await signedIn({ refused: /bulk/ }, other);
    const { page } = window;
    await page.goto("/devices?q=a-");
    await page.getByRole("checkbox", { name: "Select a-1" }).waitFor();
    await page.getByRole("checkbox", { name: "Select all rows of this page" }).focus();
    await page.keyboard.press("Space");
    await page.getByText("3 devices selected").waitFor();
    await page.getByRole("button", { name: "Set type" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("Type").selectOption({ label: "Pump" });
    await page.getByRole("button", { name: "Set type of 3 devices" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Done for 3 devices.").waitFor();
    await page.getByRole("button", { name: "Close" }).last().press("Enter");
    await page.getByRole("checkbox", { name: "Select a-1" }).check();
    await page.getByRole("button", { name: "Groups" }).press("Enter");
    await page.getByRole("dialog").getByLabel("Hall 3").press("Space");
    await page.getByRole("button", { name: "Add 1 device" }).press("Enter");
    await page.getByText("Done for 1 device.").waitFor();
    await page.getByRole("button", { name: "Close" }).last().press("Enter");
    assert.deepEqual((await server.app.devices.getDevice(tenant.caller, "a-1")).groupIds, [groupId]);
    const { json } = await other.call("GET", `/devices?deviceTypeId=${tenant.deviceTypeId}`);
    assert.equal(json.total, 3);

    await page.getByRole("checkbox", { name: "Select all rows of this page" }).check();
    await server.app.enrollment.deleteDevice(tenant.caller, "a-3");
    server.clock.advance(11 * 60_000);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const confirm = page.getByRole("button", { name: "Delete 3 devices" });
    assert.equal(await confirm.isDisabled(), true);
    await page.getByLabel("Type delete 3 to confirm").fill("delete 3");
    await confirm.click();
    await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
    await page.getByRole("textbox", { name: "Password" }).fill(other.password);
    await page.getByRole("button", { name: "Confirm", exact: true }).click();
    await page.getByText("Done for 2 devices, not for 1, which stay selected:").waitFor();
    await page.getByRole("table", { name: "Not done" }).getByText("There is no such device.").waitFor();
    await page.getByRole("button", { name: "Close" }).last().click();
    await page.getByText("1 device selected").waitFor();
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

browserTest("when another user has saved first, their version is loaded and the typed text stays", async () => {
  const window = await signedIn({ refused: /devices/ });
  const { page } = window;
  await page.goto("/devices/press");
  await page.getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Mine");
  await server.app.devices.replaceDevice(tenant.caller, "press", { name: "Theirs", description: "Hall 3" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("button", { name: "Load their version" }).click();
  await dialog.getByText("Name now: Theirs").waitFor();
  assert.equal(await dialog.getByLabel("Name").inputValue(), "Mine");
  assert.equal(await dialog.getByLabel("Description").inputValue(), "Hall 3");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Mine" }).waitFor();
  const { name, description } = await server.app.devices.getDevice(tenant.caller, "press");
  assert.deepEqual([name, description], ["Mine", "Hall 3"]);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a click on a time opens its row, and a selected row shows a tick", async () => {
  const window = await signedIn();
  const { page } = window;
  await page.goto("/audit");
  await page.locator("tbody time").first().click();
  await page.getByRole("dialog").waitFor();
  await page.goto("/devices?q=press");
  const box = page.getByRole("checkbox", { name: "Select press" });
  await box.check();
  const above = await page.evaluate(`getComputedStyle(document.querySelector("[aria-label='Select press']")).zIndex`);
  assert.equal(above, "auto", "the box covers its tick");
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
