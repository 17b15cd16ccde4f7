import assert from "node:assert/strict";
import { after, before } from "node:test";
import { newTenant, redeem, redemption, type TestTenant } from "../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession, VIEWS } from "../harness/http/browser.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let group: string;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
  group = (await server.app.groups.createGroup(tenant.caller, { name: "Pump hall" })).id;
});
after(() => server?.stop());

const PHONE = VIEWS[1];

browserTest(
  "a claim shows its code once, a phone opens it by the QR code, and a device that redeems it appears",
  async () => {
    const window = await openPage(server);
    const { page } = window;
    await useSession(window, server, admin.cookie);
    await page.goto("/claims");
    await page.getByRole("button", { name: "Create claim" }).first().click();
    await page.getByLabel("For", { exact: true }).fill("Feed pump 1");
    await page.getByRole("textbox", { name: "Devices" }).fill("2");
    await page.getByRole("checkbox", { name: "Pump hall" }).check();
    await assertSound(window, "create a claim");
    await page.getByRole("dialog").getByRole("button", { name: "Create claim" }).click();
    await page.getByRole("heading", { name: "Feed pump 1" }).waitFor();
    const code = (await page.locator("[data-secret]").textContent())!;
    await page.getByText(/Open, \d+:\d\d left/).waitFor();
    assert.ok((await page.locator("pre").textContent())!.includes(code));
    await assertSound(window, "claim");
    const opened = await page.getByRole("img", { name: /QR code/ }).getAttribute("data-text");
    await opensOnPhone(opened!, code);
    await page.getByRole("definition").getByText("Pump hall").waitFor();
    const { body } = await redemption(code);
    const { deviceId } = (await redeem(server, body)).json;
    assert.deepEqual((await server.app.devices.getDevice(tenant.caller, deviceId)).groupIds, [group]);
    await page.getByRole("link", { name: deviceId }).waitFor();
    await page.getByText("1 of 2").waitFor();
    await page.getByText("The device has not connected yet.").waitFor();
    await page.reload();
    await page.getByRole("link", { name: deviceId }).waitFor();
    assert.equal(await page.locator("[data-secret]").count(), 0);
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByRole("button", { name: "Revoke claim" }).click();
    await page.getByText("Revoked by").waitFor();
    assert.equal((await redeem(server, (await redemption(code)).body)).json.error, "claim_revoked");
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

/** Opens what the camera of a phone reads, on a phone without a session. */
async function opensOnPhone(address: string, code: string): Promise<void> {
  const window = await openPage(server, PHONE);
  const { page } = window;
  const asked: string[] = [];
  page.on("request", (request) => void asked.push(request.url()));
  await page.goto(new URL(address).pathname + new URL(address).hash);
  await page.getByRole("button", { name: "Copy code" }).waitFor();
  await page.locator("pre").waitFor();
  assert.ok((await page.locator("pre").textContent())!.includes(code));
  assert.deepEqual(
    asked.filter((url) => new URL(url).pathname.includes(code)),
    [],
  );
  await assertSound(window, "enroll on a phone");
  await window.context.close();
}
