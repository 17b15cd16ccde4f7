import assert from "node:assert/strict";
import { after, before } from "node:test";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { assertSound, browserTest, openPage, signInByHand, useSession, VIEWS } from "../../harness/http/browser.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type SignedIn, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
});
after(() => server?.stop());

const PASSWORD = "a violet horse on a staircase";
const OTHER = "seven brass lanterns in the rain";

browserTest("an invited user chooses a password and is signed in, and a reset link replaces it", async () => {
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, admin.cookie);
  await page.goto("/users");
  await page.getByRole("button", { name: "Invite user" }).click();
  await page.getByRole("dialog").getByLabel("E-mail address").fill("grace@plant.example");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  const invitation = (await page.locator("[data-secret]").textContent())!;
  await assertSound(window, "users invitation");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("table", { name: "Open invitations" }).getByText("grace@plant.example").waitFor();
  await acceptsInvitation(invitation);
  await page.reload();
  await page.getByRole("link", { name: "grace@plant.example" }).click();
  await page.getByRole("button", { name: "Reset password" }).click();
  await page.getByRole("button", { name: "Make a reset link" }).click();
  await choosesPassword((await page.locator("[data-secret]").textContent())!);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

/** Returns the path of a link that was created for the public address of the service. */
function pathOf(link: string): string {
  const { pathname, hash } = new URL(link);
  return pathname + hash;
}

async function acceptsInvitation(link: string): Promise<void> {
  const window = await openPage(server, VIEWS[1]);
  const { page } = window;
  await page.goto(pathOf(link));
  await page.getByRole("heading", { level: 1, name: `Join Tenant ${tenant.slug}` }).waitFor();
  await page.getByText("grace@plant.example").waitFor();
  await page.getByRole("textbox", { name: "New password" }).fill(PASSWORD);
  await page.getByRole("textbox", { name: "Repeat the password" }).fill("something else");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("The passwords differ.").waitFor();
  await assertSound(window, "invitation accepted");
  await page.getByRole("textbox", { name: "Repeat the password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(`${server.httpUrl}/`);
  await page.getByRole("button", { name: "Account of grace@plant.example" }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
}

async function choosesPassword(link: string): Promise<void> {
  const window = await openPage(server);
  const { page } = window;
  await page.goto(pathOf(link));
  await page.getByRole("textbox", { name: "New password" }).fill(OTHER);
  await page.getByRole("textbox", { name: "Repeat the password" }).fill(OTHER);
  await assertSound(window, "reset");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.waitForURL("**/sign-in");
  await signInByHand(window, { email: "grace@plant.example", password: OTHER });
  await page.waitForURL(`${server.httpUrl}/`);
  assert.deepEqual(window.problems, []);
  await window.context.close();
}

browserTest("a viewer in no group sees no device, and everybody concerned is told so", async () => {
  const viewer = await signIn(server, tenant, "viewer");
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, admin.cookie);
  await page.goto("/users");
  const row = page.getByRole("row").filter({ hasText: viewer.email });
  await row.getByText("none: sees no device").waitFor();
  await row.getByRole("link", { name: viewer.email }).click();
  await page.getByText("none: sees no device").waitFor();
  await page.goto("/users");
  await page.getByRole("button", { name: "Invite user" }).click();
  await page.getByRole("dialog").getByText("The user sees no device until").waitFor();
  await assertSound(window, "users invite without group");
  await page.getByRole("dialog").getByLabel("Role").selectOption({ label: "Administrator" });
  await page.getByText("The user sees no device until").waitFor({ state: "detached" });
  const theirs = await openPage(server, VIEWS[1]);
  await useSession(theirs, server, viewer.cookie);
  for (const path of ["/", "/devices"]) {
    await theirs.page.goto(path);
    await theirs.page.getByText("You are in no group").waitFor();
    await assertSound(theirs, `no group ${path}`);
  }
  const { id } = await server.app.groups.createGroup(tenant.caller, { name: "Wells", memberUserIds: [viewer.userId] });
  await theirs.page.reload();
  await theirs.page.getByText("the devices of your groups, which have none yet").waitFor();
  await page.reload();
  await row.getByRole("cell", { name: "1", exact: true }).waitFor();
  await server.app.groups.deleteGroup(tenant.caller, id);
  assert.deepEqual([...window.problems, ...theirs.problems], []);
  await Promise.all([window.context.close(), theirs.context.close()]);
});

browserTest("the dialog that deactivates a user lists the keys that will stop, and they stop", async () => {
  const other = await signIn(server, tenant);
  const scopes = ["devices:read"];
  const key = await server.app.access.createKey(tenant.caller, { user: other.email, name: "SCADA", scopes });
  const devices = () => https(`${server.httpUrl}/api/v1/devices`, { ca: server.ca, headers: { "x-api-key": key.key } });
  assert.equal((await devices()).status, 200);
  const window = await openPage(server);
  const { page } = window;
  await useSession(window, server, admin.cookie);
  await page.goto(`/users/${other.userId}`);
  await page.getByRole("cell", { name: "SCADA" }).waitFor();
  await assertSound(window, "user");
  await page.getByRole("button", { name: "Deactivate" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("These API keys stop for good (1):").waitFor();
  await assertSound(window, "user deactivate");
  await dialog.getByLabel(`Type ${other.email.slice(-4)} to confirm`).fill(other.email.slice(-4));
  await dialog.getByRole("button", { name: "Deactivate user" }).click();
  await page.getByRole("button", { name: "Reactivate" }).waitFor();
  assert.equal((await devices()).status, 401);
  assert.equal((await other.call("GET", "/session")).status, 401);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

for (const view of VIEWS) {
  browserTest(`the users are sound at ${view.viewport.width} pixels, ${view.colorScheme}`, async () => {
    const window = await openPage(server, view);
    await useSession(window, server, admin.cookie);
    await window.page.goto("/users");
    await window.page.getByRole("link", { name: admin.email }).waitFor();
    await assertSound(window, `users ${view.colorScheme}`);
    await window.context.close();
  });
}
