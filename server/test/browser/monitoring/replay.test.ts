import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import { addMs, HOUR } from "../../../src/lib/clock.ts";
import { addAnomaly } from "../../harness/anomalies.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession, VIEWS } from "../../harness/http/browser.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let groupId: string;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
  const { devices, groups, anomalies } = server.app;
  const { caller } = tenant;
  const members = { memberUserIds: [admin.userId] };
  const escalation = [{ afterMinutes: 0, notify: "members" as const }];
  groupId = (await groups.createGroup(caller, { name: "Pump hall", ...members, escalation })).id;
  await devices.createDevice(caller, { id: "pump-1", name: "=Feed pump, hall 3", groupIds: [groupId] });
  for (let hour = 0; hour < 3; hour++) {
    const anomaly = await addAnomaly({ database: server.app.database, clock: server.clock }, caller, "pump-1", 95);
    server.clock.advance(HOUR / 2);
    await anomalies.acknowledgeAnomaly(caller, anomaly);
    server.clock.advance(HOUR);
  }
});
after(() => server?.stop());

browserTest("an admin replays a month with a later step: fewer pages, in a table and a file", async () => {
  for (const view of VIEWS) {
    const window = await openPage(server, { ...view });
    const { page } = window;
    await useSession(window, server, admin.cookie);
    await page.clock.install({ time: addMs(server.clock.now(), 1) });
    await page.goto(`/groups/${groupId}`);
    await page.getByRole("link", { name: "Replay past pages" }).click();
    await page.getByRole("heading", { level: 1, name: "Replay of Pump hall" }).waitFor();
    await page.getByLabel("After minutes").fill("45");
    await page.getByRole("button", { name: "Add a step" }).click();
    await page.getByLabel("Step 2: after minutes").fill("45");
    await page.getByText("Each step must be later than the one before.").waitFor();
    await page.getByRole("button", { name: "Remove step 2" }).click();
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    const outcome = page.getByRole("table", { name: "Result" });
    const row = outcome.getByRole("row").filter({ hasText: "Pages to people" });
    await row.waitFor();
    assert.match((await row.innerText()).replaceAll(/\s+/g, " "), /Pages to people.* 3.* 0/);
    await page.getByText("3 → 0").waitFor();
    await assertSound(window, `replay ${view.colorScheme}`);

    await page.getByLabel("After minutes").fill("0");
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByRole("table", { name: "Pages as changed" }).waitFor();
    await assertSound(window, `replayed pages ${view.colorScheme}`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    const lines = readFileSync(await download.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    assert.equal(lines.length, 4);
    assert.match(lines[1]!, /,"'=Feed pump, hall 3",/);
    await window.context.close();
  }
});
