import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assignPacks, sendValues } from "../harness/anomalies.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import {
  assertSound,
  assertSoundInAllViews,
  browserTest,
  openPage,
  useSession,
  VIEWS,
  type Watched,
} from "../harness/http/browser.ts";
import { chooseFilter } from "../harness/http/filters.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let viewer: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  [admin, viewer] = [await signIn(server, tenant), await signIn(server, tenant, "viewer")];
  const { devices, groups, rules } = server.app;
  const { id: group } = await groups.createGroup(tenant.caller, { name: "Hall 3" });
  const where = { database: server.app.database, clock: server.clock };
  for (const [name, metric] of [
    ["Bearings", "temperature"],
    ["Pipes", "pressure"],
  ] as const) {
    const rule = { metric, operator: "gt", value: 90, severity: "major" } as const;
    const { id: pack } = await rules.createThreshold(tenant.caller, { name, rules: [rule] });
    for (const id of ["pump", "press"]) {
      const deviceId = `${id}-${metric}`;
      await devices.createDevice(tenant.caller, {
        id: deviceId,
        name: deviceId,
        groupIds: id === "pump" ? [group] : [],
      });
      await assignPacks(where, tenant.caller, deviceId, pack);
      await sendValues(where, tenant.caller, deviceId, { [metric]: 95 });
    }
  }
});
after(() => server?.stop());

async function windowOf(user: SignedIn, path: string): Promise<Watched> {
  const window = await openPage(server);
  await useSession(window, server, user.cookie);
  await window.page.goto(path);
  return window;
}

browserTest(
  "anomalies are filtered by group and threshold pack, and the filter is saved, chosen, renamed and deleted",
  async () => {
    const window = await windowOf(admin, "/anomalies");
    const { page } = window;
    const dialog = page.getByRole("dialog");
    const saved = page.getByLabel("Saved filters");
    const total = (text: string) => page.getByText(text, { exact: true }).waitFor();
    await total("4 anomalies");
    assert.equal(await saved.count(), 0);
    await chooseFilter(page, "Threshold pack", "Bearings");
    await total("2 anomalies");
    await chooseFilter(page, "Group", "Hall 3");
    await total("1 anomaly");
    await page.getByRole("link", { name: "temperature is above 90" }).waitFor();

    await page.getByRole("button", { name: "Save filter", exact: true }).click();
    await dialog.getByLabel("Name").fill("Hot in hall 3");
    await assertSound(window, "save a filter");
    await dialog.getByRole("button", { name: "Save filter", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await saved.waitFor();
    await assertSoundInAllViews(window, "saved filters");

    await page.goto("/anomalies?severity=minor");
    await page.getByText("No anomaly matches the filters").waitFor();
    assert.equal(await saved.locator("option:checked").textContent(), "Filter not saved");
    await saved.selectOption({ label: "Hot in hall 3" });
    await total("1 anomaly");
    assert.deepEqual([...new URL(page.url()).searchParams.keys()].toSorted(), ["groupId", "thresholdId"]);

    await page.getByRole("button", { name: "Manage filters", exact: true }).click();
    await dialog.getByLabel("Name of Hot in hall 3").fill("Bearings of hall 3");
    await dialog.getByRole("button", { name: "Rename", exact: true }).click();
    await dialog.getByRole("button", { name: "Delete Bearings of hall 3" }).waitFor();
    await assertSoundInAllViews(window, "manage filters");
    await dialog.getByRole("button", { name: "Delete Bearings of hall 3" }).click();
    await dialog.getByText("You have no saved filter of this list.").waitFor();
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
    await saved.waitFor({ state: "detached" });
    await total("1 anomaly");
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

browserTest("a phone shows the filters that are set, and the choices of one on demand", async () => {
  const window = await windowOf(admin, "/anomalies");
  const { page } = window;
  await chooseFilter(page, "Threshold pack", "Pipes");
  await page.setViewportSize(VIEWS[1].viewport);
  const said = page.getByRole("button", { name: "Threshold pack is Pipes" });
  await said.click();
  await page.getByRole("radio", { name: "Bearings" }).waitFor();
  await assertSound(window, "a filter on a phone");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Remove the filter Threshold pack" }).click();
  await page.getByText("4 anomalies", { exact: true }).waitFor();
  await said.waitFor({ state: "detached" });
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a filter of devices belongs to its user and outlives the session", async () => {
  const save = (user: SignedIn, name: string, values: object) =>
    user.call("POST", "/filters", { body: { list: "devices", name, values } });
  await save(admin, "Pumps", { q: "pump" });
  await save(viewer, "Of the viewer", { q: "press" });
  const window = await windowOf(admin, "/devices");
  const { page } = window;
  const saved = page.getByLabel("Saved filters");
  await page.getByText("4 devices", { exact: true }).waitFor();
  assert.deepEqual(await saved.locator("option").allTextContents(), ["No saved filter", "Pumps"]);
  await saved.selectOption({ label: "Pumps" });
  await page.getByText("2 devices", { exact: true }).waitFor();
  await saved.selectOption({ label: "No saved filter" });
  await page.getByText("4 devices", { exact: true }).waitFor();
  await page.goto("/tickets?status=open");
  await page.getByRole("button", { name: "Save filter", exact: true }).waitFor();
  assert.equal(await saved.count(), 0, "each list has its own");
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("the states by which lists are filtered have German names", async () => {
  const window = await openPage(server, { locale: "de-DE", viewport: { width: 390, height: 844 } });
  const { page } = window;
  await useSession(window, server, admin.cookie);
  for (const [path, state] of [
    ["/certificates?state=revoked", "widerrufen"],
    ["/claims?status=used", "verbraucht"],
    ["/keys?state=ended", "beendet"],
    ["/users?status=active", "aktiv"],
  ] as const) {
    await page.goto(path);
    await page.getByRole("button", { name: new RegExp(`^(Status|Zustand) ist ${state}$`) }).waitFor();
  }
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
