import assert from "node:assert/strict";
import { after, before } from "node:test";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { assertSound, browserTest, openPage, signInByHand, VIEWS } from "../../harness/http/browser.ts";
import { type Sinks, startSinks } from "../../harness/http/sinks.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, type SignedIn, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let sinks: Sinks;
let tenant: TestTenant;
let user: SignedIn;

before(async () => {
  sinks = await startSinks();
  server = await startServer({ env: { MUSTER_SMTP_URL: sinks.env.MUSTER_SMTP_URL } });
  tenant = await newTenant(server);
  user = await signIn(server, tenant);
});
after(async () => {
  await server?.stop();
  await sinks?.stop();
});

browserTest("a user signs in, finds the requested page, signs out, and the back button shows nothing", async () => {
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

browserTest("a sign-out that gets no answer leaves the screen, which reads what it had cancelled", async () => {
  const window = await openPage(server, { refused: /\/(session|devices)$/ });
  const { page } = window;
  await page.goto("/sign-in");
  await signInByHand(window, user);
  await page.waitForURL(`${server.httpUrl}/`);
  let read = 0;
  await page.route("**/api/admin/devices?**", (route) => {
    read += 1;
    return read > 1 ? route.continue() : undefined;
  });
  await page.route("**/api/admin/session", (route) =>
    route.request().method() === "DELETE" ? route.abort() : route.continue(),
  );
  await page.getByRole("link", { name: "Devices", exact: true }).click();
  await page.locator('[aria-label="Devices"][aria-busy="true"]').waitFor();
  await page.getByRole("button", { name: `Account of ${user.email}` }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("The service did not answer.").waitFor();
  await page.getByText("There is no device yet").waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a wrong password is refused with the service's message, and the form keeps its input", async () => {
  for (const view of VIEWS) {
    const window = await openPage(server, view);
    const { page } = window;
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.locator('[aria-invalid="true"]').and(page.getByLabel("E-mail address")).waitFor();
    await signInByHand(window, { email: user.email, password: "not the password" });
    await page.getByRole("alert").getByText("The e-mail address or the password is wrong.").waitFor();
    assert.equal(await page.getByLabel("E-mail address").inputValue(), user.email);
    await assertSound(window, `refused sign-in, ${view.colorScheme}`);
    await window.context.close();
  }
});

browserTest(
  "guesses from elsewhere throttle unknown browsers, which show until when, but not the user's own",
  async () => {
    const { email, password } = await signIn(server, tenant);
    const [own, other] = [await openPage(server), await openPage(server, { refused: /session$/ })];
    await own.page.goto("/sign-in");
    await signInByHand(own, { email, password });
    const account = own.page.getByRole("button", { name: `Account of ${email}` });
    await account.click();
    await own.page.getByRole("button", { name: "Sign out" }).click();
    await own.page.waitForURL("**/sign-in");
    for (let i = 0; i < 10; i++)
      await newBrowser(server).call("POST", "/session", { body: { email, password: "a guess" } });

    await other.page.goto("/sign-in");
    await signInByHand(other, { email, password });
    // It counts down with the time of the browser.
    await other.page.getByText(/Possible again in (10:00|9:[0-5]\d)/).waitFor();
    await assertSound(other, "throttled");
    await signInByHand(own, { email, password });
    await account.waitFor();
    for (const { problems, context } of [own, other]) {
      assert.deepEqual(problems, []);
      await context.close();
    }
  },
);

browserTest(
  "a forgotten password is replaced through a mailed link, and the page does not reveal which addresses exist",
  async () => {
    const forgetful = await signIn(server, tenant);
    const window = await openPage(server);
    const { page } = window;
    await page.goto("/sign-in");
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    // Both pages have a field for the address.
    await page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
    for (const email of ["unknown@plant.example", forgetful.email]) {
      await page.getByLabel("E-mail address").fill(email);
      await page.getByRole("button", { name: "Send the link" }).click();
      await page.getByText(`If ${email} is the address of a user, a link is on its way.`).waitFor();
      if (email !== forgetful.email) await page.reload();
    }
    await assertSound(window, "forgotten password");
    const resets = () => sinks.mails.filter(({ subject }) => subject === "Reset your Muster password");
    await sinks.until(() => resets().length > 0);
    assert.deepEqual(
      resets().map(({ to }) => to),
      [forgetful.email],
    );
    const [link] = /https:\S+/.exec(resets()[0]!.text.replaceAll("=\r\n", ""))!;
    await page.goto(new URL(link).pathname + new URL(link).hash);
    const password = "seven purple bicycles sing";
    await page.getByRole("textbox", { name: "New password" }).fill(password);
    await page.getByRole("textbox", { name: "Repeat the password" }).fill(password);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.waitForURL("**/sign-in");
    await signInByHand(window, { email: forgetful.email, password });
    await page.waitForURL(`${server.httpUrl}/`);
    assert.deepEqual(window.problems, []);
    await window.context.close();
  },
);

browserTest("a link to the sign-in does not redirect to another site", async () => {
  const window = await openPage(server);
  await window.page.goto(`/sign-in?next=${encodeURIComponent("//evil.example/")}`);
  await signInByHand(window, user);
  await window.page.waitForURL(`${server.httpUrl}/`);
  await window.page.getByRole("heading", { level: 1 }).waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("a session that ends elsewhere leads to the sign-in, and back afterwards", async () => {
  // Requests that the page sends between the two lines are refused.
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
