import assert from "node:assert/strict";
import { after, before } from "node:test";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../../harness/devices.ts";
import { assertSoundInAllViews, browserTest, openPage, useSession } from "../../harness/http/browser.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let viewer: SignedIn;
let pump: TestDevice;

before(async () => {
  server = await startServer();
  await server.app.telemetry.maintainPartitions();
  tenant = await newTenant(server);
  [admin, viewer] = [await signIn(server, tenant), await signIn(server, tenant, "viewer")];
  pump = await enrollDevice(server, tenant);
  const client = await connectMqtt(server, pump);
  const now = Date.now();
  const values = [20, 91, 92, 20, 40, 95, 20, 30];
  const messages = values.map((temperature, at) => ({
    ts: now - (values.length - at) * 600_000,
    values: { temperature },
  }));
  await client.publishAsync(pump.topic, JSON.stringify(messages), { qos: 1 });
  await client.endAsync();
});
after(() => server?.stop());

async function open(user: SignedIn, path: string, refused?: RegExp) {
  const window = await openPage(server, refused ? { refused } : {});
  await useSession(window, server, user.cookie);
  await window.page.goto(path);
  return window;
}

browserTest(
  "rules are tried on stored telemetry before they are saved, then saved and assigned to a type",
  async () => {
    const window = await open(admin, "/thresholds/new", /thresholds/);
    const { page } = window;
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Bearings");
    await page.getByLabel("Metric").fill("temperature");
    await page.getByLabel("Limit", { exact: true }).fill("warm");
    await page.getByLabel("Device", { exact: true }).fill(pump.deviceId);
    await page.getByRole("button", { name: "Try", exact: true }).click();
    await page.getByText("Enter a number.").waitFor();
    await page.getByLabel("Limit", { exact: true }).fill("90");
    await page.getByRole("button", { name: "Try", exact: true }).click();
    await page.getByText("Would have opened 2 anomalies").waitFor();
    await page.getByText(`${pump.deviceId}, last 7 days: 8 readings of temperature.`).waitFor();
    await page.getByRole("img", { name: /temperature with the anomalies/ }).waitFor();
    assert.equal(
      await page
        .getByRole("table", { name: /would have opened/i })
        .locator("tbody tr")
        .count(),
      2,
    );
    const { items } = await server.app.anomalies.listAnomalies(tenant.caller, { skip: 0, limit: 10 });
    assert.deepEqual(items, [], "nothing was opened");
    await assertSoundInAllViews(window, "dry run");

    await page.getByLabel("Clears at").fill("95");
    await page.getByRole("button", { name: "Create threshold pack" }).click();
    await page.getByText("For gt, clearValue is a number not above value.").waitFor();
    assert.equal(await page.getByLabel("Clears at").getAttribute("aria-invalid"), "true");
    await page.getByLabel("Clears at").fill("85");
    await page.getByRole("button", { name: "Create threshold pack" }).click();
    await page.getByRole("heading", { name: "Bearings" }).waitFor();
    await page.getByText("It watches nothing yet").waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1)!;

    await page.goto(`/device-types/${tenant.deviceTypeId}`);
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByRole("checkbox", { name: "Bearings" }).check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.goto(`/thresholds/${id}`);
    await page.getByRole("link", { name: "1 device" }).click();
    await page.getByText(pump.deviceId).first().waitFor();
    await window.context.close();
  },
);

browserTest("rules are tried on all devices of a type, and each anomaly names its device", async () => {
  const fan = await enrollDevice(server, tenant);
  const client = await connectMqtt(server, fan);
  const now = Date.now();
  const messages = [50, 99, 50].map((temperature, at) => ({ ts: now - (3 - at) * 600_000, values: { temperature } }));
  await client.publishAsync(fan.topic, JSON.stringify(messages), { qos: 1 });
  await client.endAsync();
  const types = await server.app.devices.listDeviceTypes(tenant.caller);
  const { name } = types.find(({ id }) => id === tenant.deviceTypeId)!;

  const window = await open(admin, "/thresholds/new");
  const { page } = window;
  await page.getByLabel("Metric").fill("temperature");
  await page.getByLabel("Limit", { exact: true }).fill("90");
  assert.ok(await page.getByRole("button", { name: "Try", exact: true }).isDisabled(), "neither a device nor a type");
  await page.getByLabel("Try on").selectOption({ label: `all devices of ${name}` });
  await page.getByLabel("Device", { exact: true }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Try", exact: true }).click();
  await page.getByText("Would have opened 3 anomalies").waitFor();
  await page.getByText(`2 devices of ${name}, last 7 days: 11 readings of temperature.`).waitFor();
  const table = page.getByRole("table", { name: /would have opened/i });
  await table.getByRole("link", { name: fan.deviceId, exact: true }).waitFor();
  assert.equal(await table.getByRole("link", { name: pump.deviceId, exact: true }).count(), 2);
  assert.equal(await page.getByRole("img", { name: /with the anomalies/ }).count(), 0, "a chart is of one device");
  await assertSoundInAllViews(window, "dry run on a type");
  await window.context.close();
});

browserTest("a viewer reads rules but neither changes nor tries them", async () => {
  const rule = { metric: "pressure", operator: "outside", value: [2, 8], severity: "critical" } as const;
  const pack = await server.app.rules.createThreshold(tenant.caller, { name: "Pressure", rules: [rule] });
  const { page, context } = await open(viewer, `/thresholds/${pack.id}`);
  await page.getByText("pressure is outside 2 to 8").waitFor();
  for (const name of ["Save", "Delete", "Try"])
    assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
  await context.close();
});
