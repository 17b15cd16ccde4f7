import assert from "node:assert/strict";
import { after, before } from "node:test";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { assertSound, browserTest, openPage, useSession } from "../../harness/http/browser.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

/** Service accounts and the rotation of API keys in the app. */
let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
});
after(() => server.stop());

const statusWith = async (key: string) =>
  (await https(`${server.httpUrl}/api/v1/devices`, { ca: server.ca, headers: { "x-api-key": key } })).status;

browserTest("a service account is made, gets a key, loses its role's rights, and is deactivated", async () => {
  const window = await openPage(server);
  const { page } = window;
  const dialog = page.getByRole("dialog");
  await useSession(window, server, admin.cookie);
  await page.goto("/service-accounts");
  await page.locator(".empty").getByRole("button", { name: "Create service account" }).click();
  await dialog.getByLabel("Name").fill("Warehouse sync");
  await dialog.getByLabel("Role").selectOption("operator");
  await assertSound(window, "service accounts create");
  await dialog.getByRole("button", { name: "Create service account" }).click();
  const row = page.locator("tr", { hasText: "Warehouse sync" });
  await row.getByRole("button", { name: "Create key" }).click();
  await dialog.getByLabel("Name").fill("Nightly");
  await dialog.getByRole("checkbox", { name: "devices:read" }).check();
  await dialog.getByText("The key belongs to Warehouse sync").waitFor();
  await dialog.getByRole("button", { name: "Create API key" }).click();
  const key = (await dialog.locator("[data-secret]").textContent())!;
  assert.equal(await statusWith(key), 200);
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await row.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Addresses of the program").fill("203.0.113.0/24\n2001:db8::/32\n");
  await dialog.getByLabel("Role").selectOption("viewer");
  await assertSound(window, "service accounts edit");
  await dialog.getByRole("button", { name: "Save" }).click();
  await row.getByRole("cell", { name: "Viewer", exact: true }).waitFor();
  assert.equal(await statusWith(key), 403);
  await row.getByRole("button", { name: "Deactivate" }).click();
  await dialog.getByRole("button", { name: "Deactivate service account" }).click();
  await row.getByText("Deactivated").waitFor();
  assert.equal(await statusWith(key), 401);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a rotated key is shown with its end and its successor, which is shown once", async () => {
  const input = { user: tenant.admin.email, name: "Integration", scopes: ["devices:read"] };
  const { id, key: former } = await server.app.access.createKey(tenant.caller, input);
  const window = await openPage(server);
  const { page } = window;
  const dialog = page.getByRole("dialog");
  await useSession(window, server, admin.cookie);
  await page.goto(`/keys?key=${id}`);
  await dialog.getByRole("button", { name: "Rotate" }).click();
  await dialog.getByLabel("The former key ends").selectOption("in an hour");
  await assertSound(window, "keys rotate");
  await dialog.last().getByRole("button", { name: "Rotate" }).click();
  const key = (await dialog.locator("[data-secret]").textContent())!;
  await dialog.getByText("The former key works until").waitFor();
  assert.deepEqual([await statusWith(former), await statusWith(key)], [200, 200]);
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await dialog.getByText("Replaced by").waitFor();
  await page.goto("/keys");
  await page.locator("tr", { hasText: "Replaced" }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
