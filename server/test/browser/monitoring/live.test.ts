import assert from "node:assert/strict";
import { after, before } from "node:test";
import { connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../../harness/devices.ts";
import { FakeClock } from "../../harness/fake-clock.ts";
import { browserTest, openPage, useSession } from "../../harness/http/browser.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let device: TestDevice;

before(async () => {
  // Charts end at the browser's current time. A test can advance this clock, and later messages are still shown.
  const twoMinutesAgo = new Date((Math.floor(Date.now() / 1000) - 120) * 1000);
  server = await startServer({ clock: new FakeClock(twoMinutesAgo) });
  tenant = await newTenant(server);
  device = await enrollDevice(server, tenant);
});
after(() => server?.stop());

browserTest("two tabs show a connection and its values live over one event stream", async () => {
  const window = await openPage(server);
  const { page, context } = window;
  await useSession(window, server, (await signIn(server, tenant)).cookie);
  const streams: string[] = [];
  context.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === "/api/admin/events") streams.push(search.slice(0, 10));
  });
  await page.goto("/devices");
  await page.getByText("Live", { exact: true }).waitFor();
  const other = await context.newPage();
  await other.goto(`/devices/${device.deviceId}`);
  await other.getByText("Live", { exact: true }).waitFor();
  await other.getByText("The device has published nothing yet").waitFor();

  const client = await connectMqtt(server, device);
  await page.getByRole("table", { name: "Devices" }).getByText("Online").waitFor();
  await other.getByText("Online", { exact: true }).waitFor();
  await client.publishAsync(device.topic, JSON.stringify({ temperature: 21.5 }), { qos: 1 });
  await other.getByRole("cell", { name: "21.5" }).waitFor();
  await client.publishAsync(device.topic, JSON.stringify({ temperature: 22.75 }), { qos: 1 });
  await other.getByRole("cell", { name: "22.75" }).waitFor();
  await client.endAsync();
  await page.getByRole("table", { name: "Devices" }).getByText("Offline").waitFor();

  assert.deepEqual(streams.sort(), ["", "?telemetry"]);
  assert.deepEqual(window.problems, []);
  await context.close();
});

browserTest("a screen whose session ends elsewhere leads to the sign-in and back, without a click", async () => {
  const window = await openPage(server, { refused: /^\/api\/admin\// });
  const { page, context } = window;
  const admin = await signIn(server, tenant);
  await useSession(window, server, admin.cookie);
  await page.goto("/devices");
  await page.getByText("Live", { exact: true }).waitFor();
  assert.equal((await admin.call("DELETE", "/session")).status, 204);
  await page.waitForURL("**/sign-in?next=%2Fdevices");
  assert.deepEqual(window.problems, []);
  await context.close();
});

browserTest("a chart that is followed again shows what arrived while another range was displayed", async () => {
  const window = await openPage(server);
  const { page, context } = window;
  await useSession(window, server, (await signIn(server, tenant)).cookie);
  const client = await connectMqtt(server, device);
  const publish = (speed: number) => client.publishAsync(device.topic, JSON.stringify({ speed }), { qos: 1 });
  await publish(1);
  await page.goto(`/devices/${device.deviceId}?tab=telemetry&metric=speed`);
  await page.getByRole("img", { name: /Latest: speed 1$/ }).waitFor();
  await page.getByText("1 h", { exact: true }).click();
  await page.getByRole("img", { name: /^speed over time/ }).waitFor();
  server.clock.advance(30_000);
  await publish(2);
  await page.getByLabel("Range").getByText("Live", { exact: true }).click();
  await page.getByRole("img", { name: /Latest: speed 2$/ }).waitFor();
  await client.endAsync();
  assert.deepEqual(window.problems, []);
  await context.close();
});
