import assert from "node:assert/strict";
import { after, before } from "node:test";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession, VIEWS, type Watched } from "../../harness/http/browser.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let operator: SignedIn;
let viewer: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  [admin, operator] = [await signIn(server, tenant), await signIn(server, tenant, "operator")];
  viewer = await signIn(server, tenant, "viewer");
});
after(() => server?.stop());

async function windowOf(user: SignedIn, options: Parameters<typeof openPage>[1] = {}): Promise<Watched> {
  const window = await openPage(server, { timezoneId: "Asia/Tokyo", ...options });
  await useSession(window, server, user.cookie);
  return window;
}

browserTest(
  "week with gap: a group is set up, its uncovered hours are shown, and a longer shift covers them",
  async () => {
    const window = await windowOf(admin, { ...VIEWS[0], refused: /\/test$/ });
    const { page } = window;
    const dialog = page.getByRole("dialog");
    await page.goto("/groups");
    await page.getByRole("button", { name: "Create group" }).first().click();
    await dialog.getByLabel("Name").fill("Pump hall");
    await dialog.getByRole("button", { name: "Create group" }).click();
    await page.getByRole("heading", { level: 1, name: "Pump hall" }).waitFor();
    await page.getByText("This group sends no pages.").waitFor();

    await page.getByRole("button", { name: "Add an escalation" }).click();
    await dialog.getByRole("button", { name: "Add a step" }).click();
    await dialog.getByLabel("Step 2: after minutes").fill("0");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Each step must be later than the one before.").waitFor();
    await assertSound(window, "escalation refused");
    await dialog.getByRole("button", { name: "Remove step 2" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("168 hours of the next seven days are uncovered").waitFor();

    await createsShift(window);
    await page.goto("/groups");
    await page.getByRole("link", { name: "Pump hall" }).click();
    await page
      .getByLabel("Shift to put on this group")
      .selectOption({ label: "Nights: 18:00–06:00, every day (Africa/Lagos)" });
    await page.getByRole("button", { name: "Put it on the group" }).click();
    await page.getByText("84 hours of the next seven days are uncovered").waitFor();
    await page.getByRole("link", { name: "Show the week", exact: true }).click();

    const week = page.getByRole("region", { name: "The next seven days" });
    await week.getByText("06:00–18:00 uncovered").first().waitFor();
    await week.getByText(`18:00–24:00 Nights: ${operator.email}`).first().waitFor();
    assert.equal(await week.getByLabel("Time zone").inputValue(), "Africa/Lagos");
    await assertSound(window, "week with gap");

    await page.getByRole("link", { name: "Nights" }).click();
    await dialog.getByLabel("From", { exact: true }).fill("06:00");
    await dialog.getByText("24 hours, into the next day").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Every group that pages is covered").waitFor();
    await page.goto("/");
    await page.getByRole("region", { name: "What needs you" }).waitFor();
    assert.equal(await page.getByText("uncovered hours").count(), 0);
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

/** A twelve-hour night shift in a time zone other than the browser's. */
async function createsShift({ page }: Watched): Promise<void> {
  const dialog = page.getByRole("dialog");
  await page.goto("/shifts");
  await page.getByRole("button", { name: "Create shift" }).first().click();
  await dialog.getByLabel("Name").fill("Nights");
  await dialog.getByLabel("From", { exact: true }).fill("18:00");
  await dialog.getByLabel("Until", { exact: true }).fill("06:00");
  for (const day of ["Sat", "Sun"]) await dialog.getByLabel(day).check();
  await dialog.getByLabel("Time zone").selectOption("Africa/Lagos");
  await dialog.getByLabel(operator.email).check();
  await dialog.getByRole("button", { name: "Create shift" }).click();
  await page.getByRole("table", { name: "Shifts" }).getByText("18:00–06:00, every day (Africa/Lagos)").waitFor();
}

browserTest(
  "viewer's groups: none before an administrator adds the viewer, then the group without its buttons",
  async () => {
    const { app } = server;
    const group = await app.groups.createGroup(tenant.caller, {
      name: "Press hall",
      channels: [{ type: "email", target: "press@acme.example" }],
    });
    await app.devices.createDevice(tenant.caller, { id: "press-1", name: "Press 1", groupIds: [group.id] });
    const [window, adminWindow] = [await windowOf(viewer, VIEWS[1]), await windowOf(admin)];
    const { page } = window;
    await page.goto("/");
    await page.getByText("You are in no group, and see the devices of your groups only.").waitFor();
    await page.goto("/groups");
    await page.getByText("You are in no group yet.").waitFor();
    await assertSound(window, "viewer without groups");

    await adminWindow.page.goto(`/groups/${group.id}`);
    await adminWindow.page.getByRole("button", { name: "Add members" }).click();
    await adminWindow.page.getByRole("dialog").getByLabel(viewer.email).check();
    await adminWindow.page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await adminWindow.page.getByRole("link", { name: viewer.email }).waitFor();

    await page.reload();
    await page.getByRole("link", { name: "Press hall" }).click();
    await page.getByText("press@acme.example").waitFor();
    for (const name of ["Delete", "Rename", "Change members", "Add a channel", "Send a test message"])
      assert.equal(await page.getByRole("button", { name }).count(), 0, name);
    await assertSound(window, "viewer's group");
    await page.getByRole("heading", { name: "Devices of the group" }).waitFor();
    await page.getByRole("link", { name: "Press 1" }).waitFor();
    assert.deepEqual([...window.problems, ...adminWindow.problems], []);
    for (const { context } of [window, adminWindow]) await context.close();
  },
);

browserTest("an escalation in its form stays when another user adds one first", async () => {
  const group = await server.app.groups.createGroup(tenant.caller, { name: "Pits" });
  const window = await windowOf(admin, { refused: /groups/ });
  const { page } = window;
  const dialog = page.getByRole("dialog");
  await page.goto(`/groups/${group.id}`);
  await page.getByRole("button", { name: "Add an escalation" }).click();
  await dialog.getByLabel("After minutes").fill("45");
  await server.app.groups.updateGroup(tenant.caller, group.id, {
    escalation: [{ afterMinutes: 5, notify: "members" }],
    alwaysPages: "all",
  });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("button", { name: "Load their version" }).click();
  await dialog.getByText("Escalation now: 1 steps").waitFor();
  assert.equal(await dialog.getByLabel("After minutes").inputValue(), "45");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("after 45 minutes").waitFor();
  const { escalation, alwaysPages } = await server.app.groups.getGroup(tenant.caller, group.id);
  assert.deepEqual([escalation, alwaysPages], [[{ afterMinutes: 45, notify: "shift" }], "all"]);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a shift is found among many by a part of its name, and assigned to the group", async () => {
  const { app } = server;
  const many = await newTenant(server);
  const user = await signIn(server, many);
  const group = await app.groups.createGroup(many.caller, { name: "Depot" });
  const times = { timeZone: "UTC", startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon"] };
  const wanted = await app.groups.createShift(many.caller, { name: "Harbour", ...times });
  for (let n = 0; n < 50; n++) await app.groups.createShift(many.caller, { name: `Yard ${n}`, ...times });
  const window = await windowOf(user, VIEWS[1]);
  const { page } = window;
  await page.goto(`/groups/${group.id}`);
  const choices = page.getByLabel("Shift to put on this group");
  await choices.getByText("Yard 49").waitFor({ state: "attached" });
  assert.equal(await choices.getByText("Harbour").count(), 0, "the newest 50 are offered");
  await page.getByRole("searchbox", { name: "Search shifts" }).fill("harb");
  await choices.getByText("Yard 49").waitFor({ state: "detached" });
  await choices.selectOption(wanted.id);
  await assertSound(window, "search of shifts");
  await page.getByRole("button", { name: "Put it on the group" }).click();
  await page.getByRole("table", { name: "Shifts of the group" }).getByRole("link", { name: "Harbour" }).waitFor();
  assert.deepEqual((await app.groups.getGroup(many.caller, group.id)).shiftIds, [wanted.id]);
  await window.context.close();
});

browserTest(
  "a test message without recipients is refused with an explanation, and one to members is sent",
  async () => {
    const group = await server.app.groups.createGroup(tenant.caller, {
      name: "Boilers",
      memberUserIds: [operator.userId],
    });
    const window = await windowOf(admin, { ...VIEWS[1], refused: /\/test$/ });
    const { page } = window;
    await page.goto(`/groups/${group.id}`);
    await page.getByLabel("Receivers of the test").selectOption({ label: "To its channels" });
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText("The group has no confirmed channel.").waitFor();
    await page.getByLabel("Receivers of the test").selectOption({ label: "To all its members" });
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByRole("table", { name: "Test messages" }).getByText(operator.email).waitFor();
    await assertSound(window, "test message");
    await window.context.close();
  },
);
