import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { assertSound, assertSoundInAllViews, browserTest, openPage, VIEWS } from "../../harness/http/browser.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

let server: TestServer;

before(async () => {
  server = await startServer();
});
after(() => server?.stop());

async function fillIn(page: Page, organization: string): Promise<void> {
  await page.getByLabel("Organization").fill(organization);
  await page.getByLabel("Your e-mail address").fill("ada@plant.example");
  for (const name of ["Password", "Repeat the password"])
    await page.getByRole("textbox", { name, exact: true }).fill("a long enough phrase 7");
}

browserTest("before the set-up, the first page says where to find the link and shows no sign-in", async () => {
  const window = await openPage(server);
  const { page } = window;
  await page.goto("/");
  await page.getByRole("heading", { name: "Not set up yet" }).waitFor();
  await page.getByText("npx muster setup-link").waitFor();
  assert.equal(await page.getByRole("button", { name: "Sign in" }).count(), 0);
  await assertSoundInAllViews(window, "not set up");
  await window.context.close();
});

browserTest("a replaced set-up link is refused, with the command that creates a new one", async () => {
  const window = await openPage(server, { refused: /\/setup$/ });
  const { page } = window;
  const { url } = await server.app.identity.makeSetUpLink();
  await server.app.identity.makeSetUpLink();
  await page.goto(url);
  await fillIn(page, "Plant");
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByText("npx muster setup-link makes another").waitFor();
  await assertSound(window, "a used set-up link");
  await window.context.close();
});

browserTest("the set-up link creates the first administrator, once", async () => {
  const incomplete = await openPage(server, VIEWS[1]);
  await incomplete.page.goto("/setup");
  await incomplete.page.getByText("The link is incomplete").waitFor();
  await assertSound(incomplete, "set-up without a token");
  await incomplete.context.close();

  const window = await openPage(server);
  const { page } = window;
  const { url } = await server.app.identity.makeSetUpLink();
  await page.goto(url);
  await fillIn(page, "Größe & Söhne");
  assert.equal(await page.getByLabel("Short name").inputValue(), "grosse-sohne");
  await page.getByRole("textbox", { name: "Repeat the password" }).fill("something else 77");
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByText("The passwords differ.").waitFor();
  await page.getByRole("textbox", { name: "Repeat the password" }).fill("a long enough phrase 7");
  await assertSound(window, "set-up");
  await page.getByRole("button", { name: "Set up" }).click();
  await page.waitForURL(`${server.httpUrl}/`);
  await page.getByRole("heading", { name: "Größe & Söhne" }).waitFor();
  await page.getByText("First steps").waitFor();
  await assertSound(window, "home of a new tenant");

  await page.goto(url);
  await page.getByText("The service is set up").waitFor();
  assert.deepEqual(window.problems, []);
  await window.context.close();
});
