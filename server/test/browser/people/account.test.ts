import assert from "node:assert/strict";
import { after, before } from "node:test";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { assertSound, browserTest, openPage, signInByHand, useSession } from "../../harness/http/browser.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
const PASSWORD = "a long enough phrase 7";

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server?.stop());

browserTest("a user with a generated password must change it first, and the new one signs in", async () => {
  const { access } = server.app;
  const drawn = await access.createUser(await access.systemCaller(tenant.slug), {
    email: "eve@plant.example",
    role: "admin",
  });
  const window = await openPage(server);
  const { page } = window;
  await page.goto("/sign-in?next=/devices");
  await signInByHand(window, drawn);
  await page.waitForURL("**/account");
  await page.getByText("Choose a password of your own").waitFor();
  await page.getByRole("textbox", { name: "Current password" }).fill(drawn.password);
  await page.getByRole("textbox", { name: "New password", exact: true }).fill("short");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Use 12 to 128 characters.").waitFor();
  await page.getByRole("textbox", { name: "New password", exact: true }).fill(PASSWORD);
  await page.getByRole("textbox", { name: "Repeat the new password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Your password is changed.").waitFor();
  await page.getByRole("table", { name: "Sessions" }).waitFor();
  await assertSound(window, "account");
  await window.context.clearCookies();
  await page.goto("/devices");
  await signInByHand(window, { email: drawn.email, password: PASSWORD });
  await page.waitForURL("**/devices");
  await window.context.close();
});

browserTest("a user signs out their other sessions, which end immediately", async () => {
  const own = await signIn(server, tenant);
  const [here, there] = [await openPage(server), await openPage(server)];
  await useSession(there, server, own.cookie);
  await here.page.goto("/sign-in");
  await signInByHand(here, own);
  await here.page.waitForURL(`${server.httpUrl}/`);
  await there.page.goto("/account");
  await there.page.getByRole("heading", { name: "Account" }).waitFor();
  await here.page.goto("/account");
  await here.page.getByRole("button", { name: "Sign out other sessions" }).click();
  await here.page.getByRole("button", { name: "Sign out others" }).click();
  await here.page.getByText("Your other sessions have ended.").waitFor();
  await there.page.reload();
  await there.page.waitForURL("**/sign-in**");
  assert.deepEqual(here.problems, []);
  await Promise.all([here.context.close(), there.context.close()]);
});

browserTest("without mail, the app says who can set a new password", async () => {
  const window = await openPage(server);
  const { page } = window;
  await page.goto("/sign-in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByText("This service sends no mail").waitFor();
  await page.getByText("An administrator of your organization makes the link").waitFor();
  assert.equal(await page.getByRole("textbox").count(), 0);
  await page.getByRole("link", { name: "Back to the sign-in" }).click();
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a user adds a webhook whose secret is shown once, and chooses quiet hours", async () => {
  const own = await signIn(server, tenant, "viewer");
  const window = await openPage(server);
  await useSession(window, server, own.cookie);
  const { page } = window;
  await page.goto("/account");
  await page.getByText("You have no channel of your own.").waitFor();
  await page.getByRole("button", { name: "Add a channel", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Add a channel of your own" });
  await dialog.getByLabel("Kind").selectOption("webhook");
  await dialog.getByLabel("Address").fill("https://hooks.plant.example/ada");
  await dialog.getByRole("button", { name: "Add channel", exact: true }).click();
  const secret = dialog.locator("[data-secret]");
  await secret.waitFor();
  assert.match((await secret.textContent())!, /^whsec_/);
  await dialog.getByRole("button", { name: "Done", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("table", { name: "Your channels" }).getByText("https://hooks.plant.example/ada").waitFor();
  await page.getByLabel("Quiet hours, every day").check();
  await page.getByLabel("From").fill("21:30");
  await assertSound(window, "account-notifications");
  await page.getByRole("button", { name: "Save choices", exact: true }).click();
  await page.getByText("Saved.").waitFor();
  await page.reload();
  await page.getByLabel("From").waitFor();
  assert.equal(await page.getByLabel("From").inputValue(), "21:30");
  await window.context.close();
});
