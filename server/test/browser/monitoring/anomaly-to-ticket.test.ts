import assert from "node:assert/strict";
import { after, before } from "node:test";
import { addAnomaly, sendValues } from "../../harness/anomalies.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { assertSound, browserTest, openPage, useSession, VIEWS, type Watched } from "../../harness/http/browser.ts";
import { chooseFilter, fillFilter } from "../../harness/http/filters.ts";
import { type Sinks, startSinks } from "../../harness/http/sinks.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

let sinks: Sinks;
let server: TestServer;
let tenant: TestTenant;
let operator: SignedIn;
let group: string;

const PHONE = { viewport: { width: 390, height: 844 } };

before(async () => {
  sinks = await startSinks();
  server = await startServer({ env: sinks.env });
  tenant = await newTenant(server);
  operator = await signIn(server, tenant, "operator");
  const { devices, groups } = server.app;
  const escalation = [
    { afterMinutes: 0, notify: "members" as const },
    { afterMinutes: 30, notify: "members" as const },
  ];
  const wanted = { name: "Pump hall", memberUserIds: [operator.userId], escalation };
  group = (await groups.createGroup(tenant.caller, wanted)).id;
  for (const id of ["pump-1", "pump-2", "pump-3"])
    await devices.createDevice(tenant.caller, { id, name: `Feed ${id}`, groupIds: [group] });
});
after(async () => {
  await server?.stop();
  await sinks?.stop();
});

const where = () => ({ database: server.app.database, clock: server.clock });

async function signedIn(options: Parameters<typeof openPage>[1] = {}): Promise<Watched> {
  const window = await openPage(server, options);
  await useSession(window, server, operator.cookie);
  return window;
}

browserTest("on a phone an anomaly is acknowledged, gets a ticket, and is resolved with it", async () => {
  const window = await signedIn(PHONE);
  const { page } = window;
  await page.goto("/anomalies");
  await page.getByText("There is no anomaly", { exact: true }).waitFor();
  const id = await addAnomaly(where(), tenant.caller, "pump-1", 95);
  await page.getByRole("link", { name: "temperature is above 90" }).click();
  await page.getByRole("heading", { name: "temperature is above 90" }).waitFor();
  await page
    .getByRole("img", { name: /temperature around the anomaly\. Limits: Major: temperature is above 90/ })
    .waitFor();
  await server.app.notifications.runDue();
  await page.getByRole("table", { name: "Pages" }).getByText("Paged", { exact: true }).waitFor();
  await page.getByRole("table", { name: "Pages" }).getByText("To come", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Acknowledge" }).click();
  await page.getByLabel("Comment").fill("On my way");
  await page.getByRole("dialog").getByRole("button", { name: "Acknowledge" }).click();
  await page.getByText("The anomaly is acknowledged.").waitFor();
  await page.getByRole("definition").filter({ hasText: "On my way" }).waitFor();

  await page.getByRole("button", { name: "Open a ticket" }).click();
  const dialog = page.getByRole("dialog");
  assert.equal(await dialog.getByLabel("Title").inputValue(), "temperature is above 90");
  assert.equal(await dialog.getByLabel("Priority").inputValue(), "high");
  assert.equal(await dialog.getByLabel("Device id").getAttribute("readonly"), "");
  await dialog.getByLabel("Title").fill("Replace the bearing");
  await dialog.getByLabel("Assigned to").selectOption({ label: "me" });
  await dialog.getByRole("button", { name: "Open ticket" }).click();
  await page.getByRole("heading", { name: "#1 Replace the bearing" }).waitFor();
  await page.getByRole("button", { name: "Start work" }).click();
  await page.getByText("#1 is in progress.").waitFor();
  await page.getByLabel("Your comment").fill("The bearing is ordered.\nIt comes on Monday.");
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.getByText("It comes on Monday.").waitFor();
  // The comment may arrive as an event before the answer to its request, which empties the field.
  assert.ok(await eventually(async () => (await page.getByLabel("Your comment").inputValue()) === ""));
  await page.getByRole("button", { name: "Complete" }).click();
  await page.getByLabel("Resolution").fill("Bearing replaced");
  await page.getByRole("dialog").getByRole("button", { name: "Complete" }).click();
  await page.getByRole("button", { name: "Reopen" }).waitFor();
  await page.getByRole("heading", { name: "Resolution" }).waitFor();
  await page.getByRole("link", { name: "Show the anomaly" }).click();
  await page.getByRole("button", { name: "Open a ticket" }).waitFor();
  server.clock.advance(1_000);
  await sendValues(where(), tenant.caller, "pump-1", { temperature: 20 });
  await page.getByText("Resolved by").waitFor();

  const anomaly = await server.app.anomalies.getAnomaly(tenant.caller, id);
  assert.deepEqual([anomaly.status, anomaly.comment], ["resolved", "On my way"]);
  const ticket = await server.app.tickets.getTicket(tenant.caller, anomaly.ticketId!);
  assert.deepEqual(
    [ticket.status, ticket.resolution, ticket.assigneeUserId, ticket.deviceId],
    ["completed", "Bearing replaced", operator.userId, "pump-1"],
  );
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest(
  "many anomalies are acknowledged with the keyboard alone, and the address contains the filters",
  async () => {
    for (const id of ["pump-2", "pump-3"]) await addAnomaly(where(), tenant.caller, id, 95);
    const window = await signedIn();
    const { page } = window;
    await page.goto("/anomalies?status=open");
    await page.getByText("2 anomalies", { exact: true }).waitFor();
    await page.getByRole("checkbox", { name: "Select temperature is above 90, pump-2" }).waitFor();
    await page.getByRole("checkbox", { name: "Select all rows of this page" }).press("Space");
    await page.getByText("2 anomalies selected").waitFor();
    await page.getByRole("button", { name: "Acknowledge" }).press("Enter");
    await page.locator("dialog textarea:focus").waitFor();
    await page.keyboard.type("The cooling of the hall failed");
    await page.getByRole("dialog").getByRole("button", { name: "Acknowledge" }).press("Enter");
    await page.getByText("2 acknowledged.").waitFor();
    await page.getByText("No anomaly matches the filters").waitFor();
    await chooseFilter(page, "State", "acknowledged");
    await page.getByText("2 anomalies", { exact: true }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("status"), "acknowledged");
    await fillFilter(page, "Device id", "pump-3");
    await page.getByText("1 anomaly", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("1 anomaly", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Device id is pump-3" }).waitFor();
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

async function addTickets(count: number): Promise<void> {
  await runSql(
    server.app.database.db,
    `INSERT INTO tickets (id, tenant_id, number, title, type, priority, group_id, created_by, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 1000 + n, 'Inspect valve ' || n, 'inspection', 'low', $2, 'system', $3, $3
       FROM generate_series(1, $4::int) n`,
    [tenant.caller.tenantId, group, server.clock.now(), count],
  );
}

browserTest("the board shows some of 2,000 open tickets, and a card is moved by its menu and by dragging", async () => {
  await addTickets(2_000);
  const { json: urgent } = await operator.call("POST", "/tickets", {
    body: { title: "Stop the leak", priority: "urgent", deviceId: "pump-1" },
  });
  const window = await signedIn();
  const { page } = window;
  await page.goto("/tickets?view=board");
  const column = (name: string) => page.getByRole("region", { name, exact: true });
  await column("Open").getByText("2,001").waitFor();
  const cards = column("Open").getByRole("article");
  await cards.nth(24).waitFor();
  assert.equal(await cards.count(), 25);
  assert.match((await cards.first().textContent())!, /Stop the leak/);
  await column("Open").getByRole("button", { name: "Show more" }).click();
  await cards.nth(49).waitFor();
  assert.equal(await cards.count(), 50);

  await page.getByLabel(`Move #${urgent.number}`, { exact: true }).focus();
  await page.getByLabel(`Move #${urgent.number}`, { exact: true }).selectOption({ label: "Start work" });
  await column("In progress").getByText("Stop the leak").waitFor();
  await column("In progress").getByRole("article").dragTo(column("On hold"));
  await column("On hold").getByText("Stop the leak").waitFor();
  // Each column is read separately: for a moment the card is in two.
  const moved = column("On hold").getByLabel(`Move #${urgent.number}`, { exact: true });
  await moved.selectOption({ label: "Complete" });
  await page.getByLabel("Resolution").fill("The seal is new");
  await page.getByRole("dialog").getByRole("button", { name: "Complete" }).click();
  await column("Completed").getByText("Stop the leak").waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });

  await page.getByLabel("Title or number").fill("valve 1999");
  await column("Open").getByText("Inspect valve 1999").waitFor();
  await cards.nth(1).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "List" }).click();
  await page.getByText("1 ticket", { exact: true }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a move that another user has made impossible is refused, with the possible moves", async () => {
  const { json: ticket } = await operator.call("POST", "/tickets", { body: { title: "Clean the filter" } });
  const window = await signedIn({ refused: /tickets/ });
  const { page } = window;
  // The other user's change is no event here, so the screen still offers the old moves.
  await page.route("**/api/admin/events**", (route) => route.abort());
  window.problems.length = 0;
  await page.goto(`/tickets/${ticket.id}`);
  await page.getByRole("button", { name: "Start work" }).waitFor();
  await server.app.tickets.changeTicket(tenant.caller, ticket.id, { status: "cancelled" });
  await page.getByRole("button", { name: "Start work" }).click();
  const dialog = page.getByRole("dialog", { name: "The ticket was not moved" });
  await dialog.getByText("A ticket that is cancelled can become open, not in_progress.").waitFor();
  await dialog.getByRole("button", { name: "Open" }).click();
  await page.getByText(`#${ticket.number} is open.`).waitFor();
  assert.equal((await server.app.tickets.getTicket(tenant.caller, ticket.id)).status, "open");
  await window.context.close();
});

for (const view of VIEWS) {
  browserTest(`the dialogs of anomalies, tickets and messages are sound, ${view.colorScheme}`, async () => {
    const anomalyId = await addAnomaly(where(), tenant.caller, "pump-1", 99);
    await server.app.notifications.runDue();
    const window = await signedIn(view);
    const { page } = window;
    await page.goto(`/anomalies/${anomalyId}`);
    await page.getByRole("img", { name: /temperature around/ }).waitFor();
    await assertSound(window, `/anomalies chart ${view.colorScheme}`);
    for (const name of ["Acknowledge", "Open a ticket"]) {
      await page.getByRole("button", { name }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).waitFor();
      await assertSound(window, `/anomalies ${name} ${view.colorScheme}`);
      await page.keyboard.press("Escape");
    }
    await page
      .getByRole("button", { name: /attempts? for/ })
      .first()
      .click();
    await page.getByRole("dialog", { name: "Message" }).waitFor();
    await assertSound(window, `/anomalies message ${view.colorScheme}`);
    await page.goto("/tickets?q=leak");
    await page.getByRole("link", { name: /Stop the leak/ }).click();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("dialog").getByLabel("Title").waitFor();
    await assertSound(window, `/tickets edit ${view.colorScheme}`);
    await page.goto("/anomalies?status=open");
    await page
      .getByRole("checkbox", { name: /pump-1/ })
      .first()
      .check();
    await page.getByText("1 anomaly selected").waitFor();
    await assertSound(window, `/anomalies selected ${view.colorScheme}`);
    await page.goto("/tickets?view=board");
    await page.getByRole("article").first().waitFor();
    await assertSound(window, `/tickets board full ${view.colorScheme}`);
    await server.app.anomalies.acknowledgeAnomaly(tenant.caller, anomalyId);
    await window.context.close();
  });
}
