import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertSound, browserTest, openPage, signInByHand, VIEWS } from "../harness/browser.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let user: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  user = await signIn(server, tenant);
});
after(() => server?.stop());

browserTest("a user signs in, finds the page they wanted, signs out, and the back button shows nothing", async () => {
  const window = await openPage(server);
  const { page } = window;
  await page.goto("/?from=link");
  await page.waitForURL("**/sign-in?next=**");
  await assertSound(window, "sign-in");
  await signInByHand(window, user);
  await page.waitForURL("**/?from=link");
  await page.getByRole("button", { name: `Account of ${user.email}` }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await page.goBack();
  await page.waitForURL("**/sign-in**");
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a wrong password is refused in the service's words, and the form stays", async () => {
  for (const view of VIEWS) {
    const window = await openPage(server, view);
    const { page } = window;
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Sign in" }).click();
    assert.equal(await page.getByLabel("E-mail address").getAttribute("aria-invalid"), "true");
    await signInByHand(window, { email: user.email, password: "not the password" });
    await page.getByRole("alert").getByText("invalid_credentials").waitFor();
    assert.equal(await page.getByLabel("E-mail address").inputValue(), user.email);
    await assertSound(window, `refused sign-in, ${view.colorScheme}`);
    await window.context.close();
  }
});

browserTest("the app says whom to ask for a new password where no mail is sent", async () => {
  const window = await openPage(server);
  const { page } = window;
  await page.goto("/sign-in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByText("This service sends no mail").waitFor();
  await page.getByText("An administrator of your organization makes the link").waitFor();
  assert.equal(await page.getByRole("textbox").count(), 0);
  await page.getByRole("link", { name: "Back to the sign-in" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a link to the sign-in does not lead to another site", async () => {
  const window = await openPage(server);
  await window.page.goto(`/sign-in?next=${encodeURIComponent("//evil.example/")}`);
  await signInByHand(window, user);
  await window.page.waitForURL(`${server.httpUrl}/`);
  await window.page.getByRole("heading", { level: 1 }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a session that ends elsewhere leads to the sign-in, and back afterwards", async () => {
  // What the page asks for between the two lines is refused.
  const window = await openPage(server, { refused: /^\/api\/admin\// });
  await window.page.goto("/sign-in");
  await signInByHand(window, user);
  await window.page.waitForURL(`${server.httpUrl}/`);
  await window.context.clearCookies();
  await window.page.reload();
  await window.page.waitForURL("**/sign-in?next=**");
  await signInByHand(window, user);
  await window.page.waitForURL(`${server.httpUrl}/`);
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
