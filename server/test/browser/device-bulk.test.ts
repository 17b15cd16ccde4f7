import assert from "node:assert/strict";
import { after, before } from "node:test";
import { runSql } from "../harness/database/run-sql.ts";
import { newTenant, redeem, redemption, type TestTenant } from "../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession, VIEWS, type Watched } from "../harness/http/browser.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { signIn } from "../harness/sign-in.ts";

let server: TestServer;

before(async () => {
  server = await startServer();
});
after(() => server?.stop());

/** Enough devices for three batches. */
const COUNT = 120;
const BULK = "**/api/admin/devices/bulk";

async function start(options: Parameters<typeof openPage>[1] = {}) {
  const tenant = await newTenant(server);
  const admin = await signIn(server, tenant);
  const window = await openPage(server, options);
  await useSession(window, server, admin.cookie);
  return { tenant, admin, window };
}

async function addDevices(tenant: TestTenant): Promise<void> {
  await runSql(
    server.app.database.db,
    `INSERT INTO devices (uid, tenant_id, id, name, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'many-' || n, 'Pump ' || n, $2, $2 FROM generate_series(1, ${COUNT}) n`,
    [tenant.caller.tenantId, server.clock.now()],
  );
}

async function selectsAll({ page }: Watched): Promise<void> {
  await page.getByRole("checkbox", { name: "Select all rows of this page" }).check();
  await page.getByRole("button", { name: `Select all ${COUNT} devices of the list` }).click();
  await page.getByText(`${COUNT} devices selected`).waitFor();
}

/**
 * Delays the second batch of a change, so that its progress stays visible.
 * @returns a function that continues it
 */
async function delaySecondPart({ page }: Watched): Promise<() => void> {
  const allowed = Promise.withResolvers<void>();
  let parts = 0;
  await page.unroute(BULK);
  await page.route(BULK, async (route) => {
    if (++parts === 2) await allowed.promise;
    await route.continue();
  });
  return allowed.resolve;
}

browserTest("many devices are added to a group with a progress display, and repeating it changes nothing", async () => {
  const { tenant, admin, window } = await start();
  const { page } = window;
  await addDevices(tenant);
  const group = await server.app.groups.createGroup(tenant.caller, { name: "Hall 3" });
  for (const round of [1, 2]) {
    const proceed = await delaySecondPart(window);
    await page.goto("/devices?q=many-");
    await selectsAll(window);
    await page.getByRole("button", { name: "Groups" }).click();
    await page.getByRole("dialog").getByLabel("Hall 3").check();
    await page.getByRole("button", { name: `Add ${COUNT} devices` }).click();
    if (round === 1) await page.getByText(/^[1-9]\d* of 120$/).waitFor();
    proceed();
    await page.getByText(`Done for ${COUNT} devices.`).waitFor();
    const { json } = await admin.call("GET", `/devices?groupId=${group.id}`);
    assert.equal(json.total, COUNT);
  }
  const { json: acts } = await admin.call("GET", "/audit/admin?limit=1");
  assert.equal(acts.items[0].act, "device.update");
  const { json: updates } = await admin.call("GET", "/audit/admin?act=device.update");
  assert.equal(updates.total, COUNT, "the second time nothing was changed");
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest(
  "all devices of a claim lose their certificates after a step-up, and the claim shows the result for each",
  async () => {
    const { tenant, admin, window } = await start({ ...VIEWS[1], refused: /bulk/ });
    const { page } = window;
    const wanted = { intendedName: "Pumps", intendedDeviceTypeId: tenant.deviceTypeId, maxUses: 3 };
    const claim = await server.app.enrollment.createClaim(tenant.caller, wanted);
    const deviceIds: string[] = [];
    for (let at = 0; at < 3; at++) {
      const answer = await redeem(server, (await redemption(claim.claimCode)).body);
      deviceIds.push(answer.json.deviceId);
    }
    server.clock.advance(11 * 60_000);
    await page.goto(`/claims/${claim.id}`);
    await page.getByRole("button", { name: "Revoke the certificates of all" }).click();
    await page.getByLabel("Type revoke 3 to confirm").fill("revoke 3");
    await assertSound(window, "revoke a batch");
    await page.getByRole("button", { name: "Revoke certificates of 3 devices" }).click();
    await page.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
    await page.getByRole("textbox", { name: "Password" }).fill(admin.password);
    await page.getByRole("button", { name: "Confirm", exact: true }).click();
    await page.getByText("Done for 3 devices.").waitFor();
    for (const id of deviceIds) {
      const { certificateState } = await server.app.devices.getDevice(tenant.caller, id);
      assert.equal(certificateState, "revoked");
    }
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

browserTest(
  "an operator assigns a threshold pack to all devices of a type, and changes neither type nor groups",
  async () => {
    const { app } = server;
    const tenant = await newTenant(server);
    const operator = await signIn(server, tenant, "operator");
    const { caller, deviceTypeId } = tenant;
    const group = await app.groups.createGroup(caller, { name: "Hall 3", memberUserIds: [operator.userId] });
    const rules = [{ metric: "temperature", operator: "gt", value: 90, severity: "major" } as const];
    const pack = await app.rules.createThreshold(caller, { name: "Bearings", rules });
    for (const id of ["a-1", "a-2", "a-3"])
      await app.devices.createDevice(caller, { id, name: id, deviceTypeId, groupIds: [group.id] });
    await app.devices.createDevice(caller, { id: "other", name: "other", groupIds: [group.id] });
    const window = await openPage(server, VIEWS[1]);
    await useSession(window, server, operator.cookie);
    const { page } = window;
    await page.goto(`/devices?deviceTypeId=${deviceTypeId}`);
    for (const id of ["a-1", "a-2", "a-3"]) await page.getByRole("checkbox", { name: `Select ${id}` }).check();
    for (const name of ["Set type", "Groups", "Revoke certificates", "Delete"])
      assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
    await page.getByRole("button", { name: "Threshold packs" }).click();
    await page.getByRole("dialog").getByLabel("Bearings").check();
    await assertSound(window, "packs of many devices");
    await page.getByRole("button", { name: "Watch 3 devices" }).click();
    await page.getByText("Done for 3 devices.").waitFor();
    const { items } = await app.devices.listDevices(caller, { skip: 0, limit: 10 });
    const watched = items.filter(({ thresholdIds }) => thresholdIds.includes(pack.id)).map(({ id }) => id);
    assert.deepEqual(watched.sort(), ["a-1", "a-2", "a-3"]);
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);
