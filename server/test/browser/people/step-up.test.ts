import assert from "node:assert/strict";
import { after, before } from "node:test";
import { MINUTE } from "../../../src/lib/clock.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import {
  assertSound,
  assertSoundInAllViews,
  browserTest,
  DESKTOP,
  openPage,
  useSession,
} from "../../harness/http/browser.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server?.stop());

browserTest("a claim with several uses asks for the password in place, and keeps the typed values", async () => {
  admin = await signIn(server, tenant);
  const window = await openPage(server, { refused: /(claims|step-up)$/ });
  const { page } = window;
  await useSession(window, server, admin.cookie);
  await page.goto("/claims");
  await page.getByRole("button", { name: "Create claim" }).first().click();
  const form = page.getByRole("dialog", { name: "Create a claim" });
  await form.getByLabel("For", { exact: true }).fill("Feed pump 7");
  await form.getByRole("textbox", { name: "Devices" }).fill("25");
  server.clock.advance(11 * MINUTE);
  await form.getByRole("button", { name: "Create claim" }).click();
  const confirm = page.getByRole("dialog", { name: "Confirm that it is you" });
  await confirm.getByRole("textbox", { name: "Password" }).fill("not the password");
  await confirm.getByRole("button", { name: "Confirm" }).click();
  await confirm.getByText("The password is wrong.").waitFor();
  await assertSoundInAllViews(window, "step-up claim");
  await confirm.getByRole("button", { name: "Cancel" }).click();
  await confirm.waitFor({ state: "detached" });
  assert.equal(await form.getByLabel("For", { exact: true }).inputValue(), "Feed pump 7", "the form is as it was");
  assert.equal(await form.getByRole("textbox", { name: "Devices" }).inputValue(), "25");
  await form.getByRole("button", { name: "Create claim" }).click();
  await confirm.getByRole("textbox", { name: "Password" }).fill(admin.password);
  await confirm.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("heading", { name: "Feed pump 7" }).waitFor();
  const { items } = await server.app.enrollment.listClaims(tenant.caller, { skip: 0, limit: 10 });
  assert.deepEqual(
    items.map(({ intendedName, maxUses }) => [intendedName, maxUses]),
    [["Feed pump 7", 25]],
  );
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest(
  "the dialog that changes a role first names the keys and MQTT clients that will stop, and the lists mark them",
  async () => {
    admin = await signIn(server, tenant);
    const owner = await signIn(server, tenant);
    const add = (name: string, ...scopes: string[]) =>
      server.app.access.createKey(tenant.caller, { user: owner.email, name, scopes });
    await add("Provisioning", "provisioning:write", "device-certificates:issue");
    await add("Dashboard", "devices:read", "tickets:*");
    await owner.call("POST", "/mqtt-clients", { body: { clientId: "scada-gateway", username: "scada" } });
    const window = await openPage(server);
    const { page } = window;
    await useSession(window, server, admin.cookie);
    await page.goto(`/users/${owner.userId}`);
    await page.getByRole("button", { name: "Change role" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Role").selectOption("Viewer");
    await dialog.getByText("These API keys lose scopes (2):").waitFor();
    await dialog.getByRole("row", { name: /Provisioning stops/ }).waitFor();
    await dialog.getByRole("row", { name: /Dashboard is limited tickets:write/ }).waitFor();
    await dialog.getByText("These MQTT clients are suspended (1):").waitFor();
    await dialog.getByRole("row", { name: /scada-gateway scada Not connected/ }).waitFor();
    await assertSoundInAllViews(window, "role impact");
    await dialog.getByRole("button", { name: "Change role" }).click();
    await page.getByText(`${owner.email} is viewer now.`).waitFor();
    await page.setViewportSize(DESKTOP);
    await page.goto(`/keys?userId=${owner.userId}`);
    await page.getByRole("row", { name: /Provisioning Without effect/ }).waitFor();
    await page.getByRole("row", { name: /Dashboard Limited/ }).waitFor();
    await assertSound(window, "keys limited");
    await page.getByRole("link", { name: "Dashboard" }).click();
    await page.getByText("Its owner is a viewer now.").waitFor();
    await assertSoundInAllViews(window, "key limited");
    await page.setViewportSize(DESKTOP);
    await page.goto("/mqtt-clients");
    const client = page.getByRole("row", { name: /scada-gateway/ });
    await client.getByText("Suspended").waitFor();
    await client.getByText(owner.email).waitFor();
    await assertSoundInAllViews(window, "mqtt client suspended");
    await page.setViewportSize(DESKTOP);
    await client.getByRole("button", { name: "Enable" }).click();
    await page.getByText("You are its owner from then on").waitFor();
    await page.getByRole("button", { name: "Enable MQTT client" }).click();
    await client.getByText(admin.email).waitFor();
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

browserTest("the form of a new key marks dangerous scopes", async () => {
  admin = await signIn(server, tenant);
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, admin.cookie);
  await page.goto("/keys");
  await page.getByRole("button", { name: "Create API key" }).first().click();
  await page.getByText("Highlighted scopes are dangerous").waitFor();
  assert.equal(await page.locator(".scopes-marked").getByLabel("groups:write").count(), 1);
  await assertSoundInAllViews(window, "key scopes");
  await window.context.close();
});
