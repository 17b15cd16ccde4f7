import assert from "node:assert/strict";
import { after, before } from "node:test";
import { connectMqtt, enrollDevice, newTenant, type TestTenant } from "../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession } from "../harness/http/browser.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server?.stop());

const NULL_REASON = '"temperature" is null; a value is a number, true, false or a string';

browserTest("a person who looks at a device sees first that its messages are refused, and why", async () => {
  const device = await enrollDevice(server, tenant);
  const client = await connectMqtt(server, device);
  await client.publishAsync(device.topic, '{"temperature":null}', { qos: 1 });
  const window = await openPage(server, { viewport: { width: 390, height: 844 } });
  const { page } = window;
  await useSession(window, server, (await signIn(server, tenant)).cookie);
  for (const tab of ["", "?tab=telemetry"]) {
    await page.goto(`/devices/${device.deviceId}${tab}`);
    await page.getByText("Nothing of the last rejected message was stored").waitFor();
    await page.getByText(NULL_REASON).waitFor();
    await page.getByText("none of them is stored").waitFor();
    assert.equal(await page.getByText(/has published no/).count(), 0);
    await assertSound(window, `refused ${tab}`);
  }
  await client.publishAsync(device.topic, '{"place":{"lat":1,"lon":null}}', { qos: 1 });
  await page.reload();
  await page.getByText("Values not stored: 1, stored: 1").waitFor();
  await page.getByLabel("Parts of the device").and(page.locator("select")).selectOption({ label: "Refused (2)" });
  await page.getByText("/place/lon").waitFor();
  await assertSound(window, "rejected messages");
  await page.goto("/findings?kind=values_rejected");
  await page.getByText("Open the rejected messages of the device").waitFor();
  await client.endAsync();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("the tab of refusals counts and shows refused topics and client ids, in the user's language", async () => {
  const device = await enrollDevice(server, tenant);
  const client = await connectMqtt(server, device);
  await client.publishAsync(device.topic, '{"temperature":null}', { qos: 1 });
  await assert.rejects(client.subscribeAsync("t/elsewhere/#"));
  await client.endAsync();
  await assert.rejects(connectMqtt(server, { ...device, deviceId: "pump-seven" }));
  const window = await openPage(server, { locale: "de-DE" });
  const { page } = window;
  await useSession(window, server, (await signIn(server, tenant)).cookie);
  await page.goto(`/devices/${device.deviceId}`);
  await page.getByRole("link", { name: "Abgelehnt (3)" }).click();
  const topic = page.getByRole("article", { name: "Topic nicht erlaubt" });
  await topic.getByText("t/elsewhere/#").waitFor();
  await topic.getByText("Das Topic mit den Topics vergleichen").waitFor();
  const id = page.getByRole("article", { name: "Falsche Client-ID" });
  await id.getByText("pump-seven").waitFor();
  await id.getByText("Die Client-ID ist nicht genau die Geräte-ID des Zertifikats.").waitFor();
  await assertSound(window, "refused de");
  await page.goto("/refusals");
  await page.getByText("Der TLS-Handshake scheitert sofort").waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest(
  "a client without a certificate is shown on the page of the device whose id it gives, with the cure",
  async () => {
    const device = await enrollDevice(server, tenant);
    await assert.rejects(connectMqtt(server, { deviceId: device.deviceId, fullchain: "", key: "", ca: server.ca }));
    const window = await openPage(server);
    const { page } = window;
    await useSession(window, server, (await signIn(server, tenant)).cookie);
    await page.goto(`/devices/${device.deviceId}?tab=refused`);
    await page.getByText("The client sent neither a certificate nor a user name and password").waitFor();
    await page.getByText("Give the client one file with its certificate").waitFor();
    await assertSound(window, "no certificate");
    await window.context.close();
  },
);
