import assert from "node:assert/strict";
import { after, before } from "node:test";
import { assertSoundInAllViews, browserTest, openPage, type Watched } from "../../harness/http/browser.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type Company, followRealTime, newCompany } from "../../harness/single-sign-on/company.ts";
import { type ForeignProvider, startForeignProvider } from "../../harness/single-sign-on/foreign-provider.ts";

/** Answers of providers that a browser must not be signed in by, as a person sees them. */
let server: TestServer;
let honest: ForeignProvider;
let evil: ForeignProvider;
let company: Company;
let other: Company;

before(async () => {
  server = await startServer({ env: { MUSTER_OIDC_ALLOW_PRIVATE: "true" } });
  honest = await startForeignProvider({ trusts: server.ca });
  evil = await startForeignProvider({ trusts: server.ca });
  company = await newCompany(server, honest, { firstSignIn: "mapped", mapping: MAPPING });
  other = await newCompany(server, evil, { firstSignIn: "mapped", mapping: MAPPING });
});
after(async () => {
  await evil?.stop();
  await honest?.stop();
  await server?.stop();
});

const MAPPING = { claim: "groups", rules: [{ value: "ops", role: "operator", groupIds: [] }] };

async function open(): Promise<Watched> {
  // The home screen may be read while the session ends.
  followRealTime(server);
  const elsewhere = new RegExp(`^(${honest.issuer}/|${evil.issuer}/|https://fonts\\.)`);
  return await openPage(server, { refused: /\/(callback|overview)$/, elsewhere });
}

/** Adds a person of `at` to the provider. @returns their name there */
function person(provider: ForeignProvider, at: Company, login: string): string {
  provider.people[login] = { email: `${login}@${at.tenant.slug}.example`, email_verified: true, groups: ["ops"] };
  return login;
}

/** Goes from the sign-in page to the provider. @returns the address there */
async function begin({ page }: Watched, { tenant }: Company): Promise<URL> {
  await page.goto(`/sign-in?tenant=${tenant.slug}`);
  const asked = page.waitForRequest((request) => new URL(request.url()).pathname === "/auth");
  await page.getByRole("button", { name: `Sign in at Tenant ${tenant.slug}` }).click();
  const url = new URL((await asked).url());
  await page.locator("input[name=login]").waitFor();
  return url;
}

/** Signs in at the provider that is open. @returns the address to which it sends the browser back */
async function enter({ page }: Watched, login: string): Promise<string> {
  const back = page.waitForRequest((request) => request.url().startsWith(`${server.httpUrl}/sign-in/provider/`));
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.getByRole("button", { name: /sign.in/i }).click();
  return (await back).url();
}

/** Asserts that the page tells the failure, offers a new sign-in, and that the browser has no session. */
async function assertRefused(window: Watched, text: string): Promise<void> {
  const { page } = window;
  await page.getByRole("heading", { name: "The sign-in failed" }).waitFor();
  await page.getByRole("alert").getByText(text).waitFor();
  await assertSoundInAllViews(window, `sso attack ${text.slice(0, 20)}`);
  await assertNoSession(window);
  await page.getByRole("link", { name: "Back to the sign-in" }).click();
  await page.getByLabel("E-mail address").waitFor();
  assert.deepEqual(window.problems, []);
}

async function assertNoSession({ page, context }: Watched): Promise<void> {
  const status = await page.evaluate("fetch('/api/admin/session').then((answer) => answer.status)");
  assert.equal(status, 401);
  const names = (await context.cookies()).map(({ name }) => name);
  assert.ok(!names.includes("__Host-muster"), names.join());
}

browserTest("an answer whose state was used signs nobody in when its address is opened again", async () => {
  const window = await open();
  const { page } = window;
  await begin(window, company);
  const answer = await enter(window, person(honest, company, "ada"));
  const account = page.getByRole("button", { name: "Account of ada@" });
  await account.click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await page.goto(answer);
  await assertRefused(window, "this sign-in was completed already");
  await window.context.close();
});

browserTest("an answer opened in another browser than the one that began signs nobody in", async () => {
  const [victim, thief] = [await open(), await open()];
  await victim.page.route(/\/api\/admin\/sign-in\/oidc\/callback$/, (route) => route.abort());
  await begin(victim, company);
  const answer = await enter(victim, person(honest, company, "grace"));
  await thief.page.goto(answer);
  await assertRefused(thief, "was begun in another browser");
  await assertNoSession(victim);
  await Promise.all([victim.context.close(), thief.context.close()]);
});

browserTest("a sign-in begun at one provider and answered by another signs nobody in", async () => {
  evil.redirectUris.add(`${server.httpUrl}/sign-in/provider/${company.tenant.caller.tenantId}`);
  // The second answer comes to the page of the provider that gave it.
  for (const [redirectTo, text] of [
    [company, "its answer is not valid"],
    [other, "was begun in another browser"],
  ] as const) {
    const window = await open();
    const { page } = window;
    const asked = await begin(window, company);
    // The other provider gets the state of this sign-in, and the browser.
    asked.searchParams.set("redirect_uri", `${server.httpUrl}/sign-in/provider/${redirectTo.tenant.caller.tenantId}`);
    const tokensAsked = [honest.state.tokensAsked, evil.state.tokensAsked];
    await page.goto(`${evil.issuer}/auth?${asked.searchParams}`);
    const answer = new URL(await enter(window, person(evil, other, "mallory")));
    assert.equal(answer.searchParams.get("iss"), evil.issuer);
    await assertRefused(window, text);
    assert.deepEqual(
      [honest.state.tokensAsked, evil.state.tokensAsked],
      tokensAsked,
      "the code stays with the service",
    );
    await window.context.close();
  }
});
