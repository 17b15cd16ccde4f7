import assert from "node:assert/strict";
import { after, before } from "node:test";
import { connectMqtt, enrollDevice, newTenant, type TestTenant } from "../harness/devices.ts";
import { assertSoundInAllViews, browserTest, openPage, useSession } from "../harness/http/browser.ts";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
});
after(() => server?.stop());

async function opened(path: string, user = admin) {
  const window = await openPage(server);
  await useSession(window, server, user.cookie);
  await window.page.goto(path);
  await window.page.getByRole("heading", { level: 1 }).waitFor();
  return window;
}

browserTest("the question mark shows the keyboard shortcuts, and the user menu offers them too", async () => {
  const window = await opened("/");
  const { page } = window;
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await sheet.getByText("Filter the list").waitFor();
  await sheet.getByText("Certificates", { exact: true }).waitFor();
  await assertSoundInAllViews(window, "shortcuts");
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "hidden" });
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForURL(/\/device-types$/);
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
  await sheet.getByText("Show this sheet").waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("the menu names the version of the service", async () => {
  const { version } = (await https(`${server.httpUrl}/healthz`, { ca: server.ca })).json;
  const window = await opened("/");
  await window.page.locator("footer").getByText(`Muster ${version}`, { exact: true }).waitFor();
  await window.context.close();
});

browserTest("a menu that is longer than a phone begins below the top bar", async () => {
  const window = await openPage(server, { viewport: { width: 390, height: 600 } });
  await useSession(window, server, admin.cookie);
  const { page } = window;
  await page.goto("/");
  await page.getByRole("button", { name: "Menu" }).click();
  const home = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" });
  const bar = (await page.getByRole("banner").boundingBox())!;
  assert.ok((await home.boundingBox())!.y >= bar.y + bar.height);
  await page
    .locator("footer")
    .getByText(/^Muster /)
    .scrollIntoViewIfNeeded();
  await assertSoundInAllViews(window, "menu on a phone");
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("the palette begins an act, on its screen and on another one, and offers a viewer none", async () => {
  const window = await opened("/");
  const { page } = window;
  const act = async (text: string, title: string) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /Name of a/ }).fill(text);
    await page.getByRole("option", { name: title }).click();
  };
  await act("create a gr", "Create a group");
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await act("create a gr", "Create a group");
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await act("import", "Import devices");
  await page.getByRole("dialog", { name: /Import devices/ }).waitFor();
  await page.keyboard.press("Escape");
  assert.deepEqual(window.problems, []);
  await window.context.close();
  const others = await opened("/", await signIn(server, tenant, "viewer"));
  await others.page.keyboard.press("Control+k");
  await others.page.getByRole("combobox").fill("create");
  await others.page.getByText("Nothing matches.").waitFor();
  await others.context.close();
});

browserTest("a person folds a group of the menu, which stays folded after a reload", async () => {
  const window = await opened("/");
  const { page } = window;
  const menu = page.getByRole("navigation", { name: "Main" });
  await menu.getByRole("link", { name: "API keys" }).waitFor();
  await menu.getByRole("button", { name: "Access" }).click();
  await menu.getByRole("link", { name: "API keys" }).waitFor({ state: "detached" });
  await page.reload();
  await menu.getByRole("link", { name: "Groups" }).waitFor();
  assert.equal(await menu.getByRole("link", { name: "API keys" }).count(), 0);
  await assertSoundInAllViews(window, "folded menu");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/keys");
  await menu.getByRole("link", { name: "API keys" }).waitFor();
  assert.equal(await menu.getByRole("link", { name: "MQTT clients" }).count(), 0);
  await window.context.close();
});

browserTest("a device offers how to connect, and the settings how groups are paged", async () => {
  const device = await enrollDevice(server, tenant);
  const window = await opened(`/devices/${device.deviceId}`);
  const { page } = window;
  await page.getByRole("link", { name: "How to connect" }).click();
  await page.waitForURL(/\/connect$/);
  await page.goto("/settings");
  await page.getByLabel("If a page reaches nobody").selectOption("none");
  await page.getByLabel("Minutes that a silent device waits for others").fill("11");
  await page.getByLabel("Openings an hour before a rule flaps").fill("20");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Enter 10 or less.").waitFor();
  await page.getByLabel("Minutes that a silent device waits for others").fill("5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  const { lastResort, causeWaitMinutes, flapsAbove } = (await admin.call("GET", "/tenant")).json;
  assert.deepEqual([lastResort, causeWaitMinutes, flapsAbove], ["none", 5, 20]);
  await assertSoundInAllViews(window, "settings");
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest(
  "a screen whose code is not loaded waits while the service is away, and opens when it is back",
  async () => {
    const window = await openPage(server);
    const { page, context } = window;
    await useSession(window, server, admin.cookie);
    await context.route(/\/assets\/users-page/, (route) => route.abort());
    await context.route(/\/healthz$/, (route) => route.abort());
    await page.goto("/");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Users" }).click();
    await page.getByRole("heading", { name: "Offline, trying again" }).waitFor();
    await context.unroute(/\/assets\/users-page/);
    await context.unroute(/\/healthz$/);
    await page.getByRole("heading", { name: "Users", level: 1 }).waitFor();
    await context.close();
  },
);

browserTest(
  "a new tenant sees the ways to connect, and after that what is missing until a page reaches people",
  async () => {
    const other = await newTenant(server);
    const user = await signIn(server, other);
    const window = await openPage(server);
    const { page } = window;
    await useSession(window, server, user.cookie);
    await page.goto("/connect");
    await page.getByRole("heading", { name: "Ways to connect" }).waitFor();
    await page.getByRole("link", { name: "Certificate bundle" }).waitFor();
    await assertSoundInAllViews(window, "ways to connect");
    const device = await enrollDevice(server, other);
    const client = await connectMqtt(server, device);
    await client.endAsync();
    await page.goto("/");
    await page.getByRole("heading", { name: "Until the first page reaches a person" }).waitFor();
    await page.getByText("A group says who is responsible for its devices").waitFor();
    const { groups, devices } = server.app;
    const escalation = [{ afterMinutes: 0, notify: "members" as const }];
    const group = await groups.createGroup(other.caller, { name: "Hall", memberUserIds: [user.userId], escalation });
    await devices.changeDevice(other.caller, device.deviceId, { addGroupIds: [group.id] });
    await page.reload();
    await page.getByText("A threshold pack says when an anomaly opens").waitFor();
    await assertSoundInAllViews(window, "until the first page");
    await page.goto("/findings");
    await page.getByText("Anomaly, finding, or refusal?").click();
    await page.getByText("Only anomalies page people.").waitFor();
    await assertSoundInAllViews(window, "glossary");
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);
