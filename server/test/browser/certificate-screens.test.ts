import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before } from "node:test";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import { closed, connectMqtt, enrollDevice, newTenant, type TestDevice, type TestTenant } from "../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession, VIEWS, type Watched } from "../harness/http/browser.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let enrolled: TestDevice;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
  enrolled = await enrollDevice(server, tenant);
});
after(() => server?.stop());

async function open(path: string, view = {}): Promise<Watched> {
  const window = await openPage(server, { ...view, refused: /certificates$/ });
  await useSession(window, server, admin.cookie);
  await window.page.goto(path);
  return window;
}

async function newDevice(id: string): Promise<void> {
  await server.app.devices.createDevice(tenant.caller, { id, name: id, deviceTypeId: tenant.deviceTypeId });
}

/** Returns the files of the archive that the page offers. */
async function savedBundle(page: Page, deviceId: string): Promise<{ deviceId: string } & Record<string, string>> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download .zip" }).click(),
  ]);
  const files = unzipSync(new Uint8Array(await readFile(await download.path())));
  const text = (name: string) => new TextDecoder().decode(files[`${deviceId}/${name}`]);
  return { deviceId, fullchain: text("fullchain.pem"), key: text("key.pem"), ca: text("ca.pem") };
}

browserTest("a bundle is issued once, connects from its archive, and its revocation closes its session", async () => {
  await newDevice("pump-1");
  const window = await open("/certificates");
  const { page } = window;
  await page.getByRole("button", { name: "Issue bundle" }).click();
  // The list has a filter of the same name.
  await page.getByRole("dialog").getByLabel("Search by name, id or fingerprint").fill("pump-1");
  await page.getByRole("dialog").getByRole("radio", { name: "pump-1" }).check();
  await page.getByText("0 of 2").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Issue bundle" }).click();
  await page.getByText("the private key is not shown again").waitFor();
  await page.locator("pre", { hasText: "mosquitto_pub -V mqttv5" }).waitFor();
  await assertSound(window, "certificate bundle");
  const bundle = await savedBundle(page, "pump-1");
  await page.getByRole("button", { name: "I have saved it" }).click();
  const client = await connectMqtt(server, bundle as never);
  await page.goto("/certificates?deviceId=pump-1");
  await page
    .getByRole("row", { name: /pump-1/ })
    .getByRole("link")
    .first()
    .click();
  await page.getByText("Valid, connected").waitFor();
  await assertSound(window, "certificate");
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("pump-1 is connected with it").waitFor();
  await page.getByText("it cannot connect until it gets a new one").waitFor();
  await assertSound(window, "certificate revoke");
  await page.getByLabel("Type pump-1 to confirm").fill("pump-1");
  await page.getByRole("button", { name: "Revoke certificate" }).click();
  await closed(client);
  await page.getByText("Revoked by").waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a second identity of a self-enrolled device is issued after the user confirms it in words", async () => {
  const window = await open(`/certificates?issue=${enrolled.deviceId}`);
  const { page } = window;
  const issue = page.getByRole("dialog").getByRole("button", { name: "Issue bundle" });
  await issue.click();
  await page.getByText("This device has enrolled itself.").waitFor();
  assert.equal(await issue.isDisabled(), true);
  await assertSound(window, "certificate override");
  await page.getByLabel("I want a second identity for this device all the same.").check();
  await issue.click();
  await page.getByText("the private key is not shown again").waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a rotation leads from a new bundle to the revocation of the old one", async () => {
  await newDevice("pump-2");
  const former = await server.app.enrollment.issueBundle(tenant.caller, { deviceId: "pump-2" });
  const window = await open("/devices/pump-2/rotate");
  const { page } = window;
  await page.getByText("1 of 2").waitFor();
  await page.getByRole("button", { name: "Issue bundle" }).click();
  const bundle = await savedBundle(page, "pump-2");
  await assertSound(window, "rotation install");
  await page.getByRole("button", { name: "I have installed it" }).click();
  await page.getByText("Waiting for the device to connect").waitFor();
  await assertSound(window, "rotation wait");
  const client = await connectMqtt(server, bundle as never);
  await page.getByText("The device has connected with the new bundle.").waitFor();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByLabel("Type pump-2 to confirm").fill("pump-2");
  await page.getByRole("button", { name: "Revoke certificate" }).click();
  await page.getByText("The rotation is complete.").waitFor();
  await assertSound(window, "rotation complete");
  assert.equal(client.connected, true);
  const { status } = await server.app.certificates.showCertificate(tenant.caller, former.id);
  assert.equal(status, "revoked");
  client.end(true);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a refusal of the broker is shown with its cause and the remedy", async () => {
  await assert.rejects(connectMqtt(server, enrolled, { clientId: "another" }));
  for (const view of VIEWS) {
    const window = await open("/refusals", view);
    const { page } = window;
    await page.getByText("Set the client id to exactly the device id").first().waitFor();
    await page.getByRole("link", { name: enrolled.deviceId }).waitFor();
    await assertSound(window, `refusals ${view.colorScheme}`);
    await page.goto(`/refusals?fingerprintSha256=${"00".repeat(32)}`);
    await page.getByText("No refusal matches the filters").waitFor();
    assert.deepEqual(window.problems, []);
    await window.context.close();
  }
});

browserTest("certificates are listed by expiry, soonest first, on a desktop and on a phone", async () => {
  for (const view of VIEWS) {
    const window = await open("/certificates", view);
    await window.page.getByRole("link", { name: enrolled.deviceId }).first().waitFor();
    const devices = await window.page.locator("tbody tr a.mono").allTextContents();
    assert.equal(devices[0], enrolled.deviceId);
    await assertSound(window, `certificates ${view.colorScheme}`);
    await window.context.close();
  }
});
