import assert from "node:assert/strict";
import { after, before } from "node:test";
import { addAnomaly } from "../../harness/anomalies.ts";
import type { TestTenant } from "../../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession, VIEWS, type Watched } from "../../harness/http/browser.ts";
import { chooseFilter } from "../../harness/http/filters.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

/** A service without a mail server: what it could not do is said on the screens that a person looks at first. */
let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let groupId: string;

before(async () => {
  server = await startServer({});
  const { access, devices, groups } = server.app;
  await access.createTenant({ slug: "acme", name: "Acme Pumps" });
  const caller = await access.systemCaller("acme");
  admin = await signIn(server, { caller });
  const type = await devices.createDeviceType(caller, { name: "Pump", publishTopics: ["telemetry/{deviceId}"] });
  tenant = { slug: "acme", caller, deviceTypeId: type.id, admin: { id: admin.userId, email: admin.email } };
  const group = await groups.createGroup(caller, {
    name: "Pump hall",
    channels: [{ type: "email", target: "plant@elsewhere.example" }],
    escalation: [{ afterMinutes: 0, notify: "channels" }],
  });
  groupId = group.id;
  const silent = await groups.createGroup(caller, { name: "Press hall" });
  await devices.createDevice(caller, { id: "pump-1", name: "Pump", groupIds: [group.id] });
  await devices.createDevice(caller, { id: "press-1", name: "Press", groupIds: [silent.id] });
  await addAnomaly({ database: server.app.database, clock: server.clock }, tenant.caller, "pump-1");
  await server.app.notifications.runDue();
});
after(() => server?.stop());

async function open(view: (typeof VIEWS)[number] = VIEWS[0]): Promise<Watched> {
  const window = await openPage(server, view);
  await useSession(window, server, admin.cookie);
  return window;
}

browserTest("the home screen lists what needs a person, with its cure, and a badge counts open anomalies", async () => {
  for (const view of VIEWS) {
    const window = await open(view);
    const { page } = window;
    await page.goto("/");
    const needs = page.getByRole("region", { name: "What needs you" });
    await needs.getByText("1 anomaly reached nobody").waitFor();
    await needs.getByText("No e-mail is sent: no mail server is set").waitFor();
    await needs.getByText("1 group with devices pages nobody").waitFor();
    await page.waitForFunction(`document.title.startsWith("(1) ")`);
    await assertSound(window, `home ${JSON.stringify(view)}`);
    await window.context.close();
  }
});

browserTest("a channel that nothing can be sent to says why, and so does the page that reached nobody", async () => {
  const window = await open();
  const { page } = window;
  await page.goto(`/groups/${groupId}`);
  await page.getByRole("region", { name: "Channels" }).getByText("Not sent: no mail server").waitFor();
  await page.goto("/anomalies");
  await page
    .getByRole("link", { name: /temperature/i })
    .first()
    .click();
  await page.getByText("Reached nobody").first().waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a ticket about an anomaly has the group of its device", async () => {
  const window = await open();
  const { page } = window;
  await page.goto("/anomalies");
  await page
    .getByRole("link", { name: /temperature/i })
    .first()
    .click();
  await page.getByRole("button", { name: "Open a ticket" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Group").waitFor();
  assert.equal(await dialog.getByLabel("Group").inputValue(), groupId);
  await dialog.getByRole("button", { name: "Open ticket" }).click();
  await page.waitForURL(/\/tickets\/.+/);
  await page.getByText("Pump hall").first().waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("resolved anomalies are listed only on request", async () => {
  const window = await open();
  const { page } = window;
  await page.goto("/anomalies");
  await page.getByRole("button", { name: "State is unresolved" }).waitFor();
  await chooseFilter(page, "State", "resolved");
  await page.getByText("No anomaly matches").or(page.getByText("Nothing matches")).first().waitFor();
  await chooseFilter(page, "State", "all");
  await page
    .getByRole("link", { name: /temperature/i })
    .first()
    .waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
