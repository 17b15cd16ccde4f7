import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { assertSoundInAllViews, browserTest, openPage, useSession, type Watched } from "../../harness/http/browser.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { type Company, comeIn, followRealTime, newCompany } from "../../harness/single-sign-on/company.ts";
import {
  type Fault,
  type ForeignProvider,
  startForeignProvider,
} from "../../harness/single-sign-on/foreign-provider.ts";

/** Journeys of people whose company has an identity provider of another maker. */
let server: TestServer;
let provider: ForeignProvider;
let company: Company;

before(async () => {
  server = await startServer({ env: { MUSTER_OIDC_ALLOW_PRIVATE: "true" } });
  provider = await startForeignProvider({ trusts: server.ca });
  const rules = [
    { value: "it", role: "admin", groupIds: [] },
    { value: "ops", role: "operator", groupIds: [] },
  ];
  company = await newCompany(server, provider, { firstSignIn: "mapped", mapping: { claim: "groups", rules } });
  const { json } = await company.admin.call("GET", "/single-sign-on");
  provider.reportLogouts(json.logoutUri);
});
after(async () => {
  await provider?.stop();
  await server?.stop();
});

let counted = 0;
/** Adds a person to the provider; returns their name there, and their address. */
function person(more: Record<string, unknown> = {}): { login: string; email: string } {
  const login = `person-${++counted}`;
  const email = `${login}@${company.tenant.slug}.example`;
  provider.people[login] = { email, email_verified: true, groups: ["ops"], ...more };
  return { login, email };
}

const NAME = () => `Tenant ${company.tenant.slug}`;

/** Opens a window in which pages of the provider, and the font that they ask for, are no problem. */
async function open(refused = /\/callback$/): Promise<Watched> {
  followRealTime(server);
  return await openPage(server, { refused, elsewhere: new RegExp(`^(${provider.issuer}/|https://fonts\\.)`) });
}

/** Goes to the provider from the sign-in page, as a person who enters the address. */
async function goToProvider({ page }: Watched, email: string): Promise<void> {
  followRealTime(server);
  await page.goto("/sign-in");
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: `Sign in at ${NAME()}` }).click();
}

async function enterAt(page: Page, login: string): Promise<void> {
  await page.waitForURL((url) => url.origin === provider.issuer);
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.getByRole("button", { name: /sign.in/i }).click();
}

async function signInAtProvider(window: Watched, { login, email }: { login: string; email: string }): Promise<void> {
  await goToProvider(window, email);
  await enterAt(window.page, login);
  await window.page.getByRole("button", { name: `Account of ${email}` }).waitFor();
}

const roleIn = async ({ page }: Watched): Promise<string> =>
  await page.evaluate("fetch('/api/admin/session').then((answer) => answer.json()).then(({ user }) => user.role)");

browserTest("a person enters the address, signs in at the provider and is in the app", async () => {
  const window = await open();
  const { page } = window;
  const { login, email } = person();
  await page.goto("/sign-in");
  await page.getByLabel("E-mail address").waitFor();
  await assertSoundInAllViews(window, "sso address");
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: `Sign in at ${NAME()}` }).waitFor();
  await page.getByRole("button", { name: "Use a password" }).waitFor();
  await assertSoundInAllViews(window, "sso ways");
  await page.getByRole("button", { name: `Sign in at ${NAME()}` }).click();
  await enterAt(page, login);
  await page.getByRole("button", { name: `Account of ${email}` }).waitFor();
  assert.equal(new URL(page.url()).search, "", "the code stays neither in the address nor in the history");
  assert.equal(await roleIn(window), "operator");
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest("the page that a person wanted is opened after the provider, and no page of another site", async () => {
  for (const [wanted, opened] of [
    ["/devices?limit=25", "/devices?limit=25"],
    ["//evil.example/", "/"],
    ["https://evil.example/", "/"],
  ] as const) {
    const window = await open();
    const { page } = window;
    const { login, email } = person();
    await page.goto(`/sign-in?next=${encodeURIComponent(wanted)}`);
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: `Sign in at ${NAME()}` }).click();
    await enterAt(page, login);
    await page.getByRole("button", { name: `Account of ${email}` }).waitFor();
    assert.equal(page.url(), `${server.httpUrl}${opened}`);
    assert.deepEqual(window.problems, []);
    await window.context.close();
  }
});

browserTest("another group at the provider gives another role at the next sign-in", async () => {
  // The home screen may be read while the session ends.
  const window = await open(/\/(callback|overview)$/);
  const { page } = window;
  const { login, email } = person();
  await signInAtProvider(window, { login, email });
  assert.equal(await page.getByRole("link", { name: "Users" }).count(), 0);
  provider.people[login]!.groups = ["it"];
  await page.getByRole("button", { name: `Account of ${email}` }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  // The provider still knows the browser, and does not ask again.
  await goToProvider(window, email);
  await page.getByRole("button", { name: `Account of ${email}` }).waitFor();
  assert.equal(await roleIn(window), "admin");
  assert.deepEqual(window.problems, []);
  await window.context.close();
});

browserTest(
  "a dangerous act is confirmed at the provider in a window of its own, and the form keeps its input",
  async () => {
    const window = await open(/(claims|callback)$/);
    const { page, context } = window;
    const { login, email } = person({ groups: ["it"] });
    await signInAtProvider(window, { login, email });
    await page.goto("/claims");
    await page.getByRole("button", { name: "Create claim" }).first().click();
    const form = page.getByRole("dialog", { name: "Create a claim" });
    await form.getByLabel("For", { exact: true }).fill("Feed pump 7");
    await form.getByRole("textbox", { name: "Devices" }).fill("25");
    server.clock.step(11 * MINUTE);
    provider.state.fault = ({ claims }) => {
      const at = Math.floor(server.clock.now().getTime() / SECOND);
      Object.assign(claims, { iat: at, exp: at + 3_600, auth_time: at });
    };
    try {
      await form.getByRole("button", { name: "Create claim" }).click();
      const confirm = page.getByRole("dialog", { name: "Confirm that it is you" });
      await confirm.getByRole("button", { name: "Confirm at your provider" }).waitFor();
      await assertSoundInAllViews(window, "sso step-up");
      const popup = context.waitForEvent("page");
      await confirm.getByRole("button", { name: "Confirm at your provider" }).click();
      await enterAt(await popup, login);
      await page.getByRole("heading", { name: "Feed pump 7" }).waitFor();
    } finally {
      provider.state.fault = undefined;
      server.clock.step(-11 * MINUTE);
    }
    assert.deepEqual(window.problems, []);
    await context.close();
  },
);

browserTest("a logout at the provider ends the session of the app, which then asks for a sign-in", async () => {
  const window = await open(/./);
  const { page, context } = window;
  await signInAtProvider(window, person());
  const other = await context.newPage();
  await other.goto(`${provider.issuer}/session/end`);
  await other.getByRole("button", { name: /yes/i }).click();
  await page.waitForURL("**/sign-in**");
  await page.reload();
  await page.getByLabel("E-mail address").waitFor();
  await context.close();
});

const FAULTS = {
  "an unverified address": {
    of: () => person({ email: company.admin.email, email_verified: false }),
    text: "has not verified your e-mail address",
  },
  "a person to whom the mapping gives no role": { of: () => person({ groups: [] }), text: "gives you no role here" },
  "an address of another domain": {
    of: () => person({ email: "ada@elsewhere.example" }),
    text: "not in a domain of this organization",
  },
  "a token for another client": {
    of: () => person(),
    text: "cannot be reached, or its answer is not valid",
    fault: ({ claims }: { claims: object }) => void Object.assign(claims, { aud: "another-client" }),
  },
};

browserTest("a fault of a sign-in is told in a sentence, and leads back", async () => {
  for (const [what, { of, text, ...more }] of Object.entries(FAULTS)) {
    const window = await open();
    const { page } = window;
    const { login } = of();
    provider.state.fault = "fault" in more ? more.fault : undefined;
    await goToProvider(window, `${login}@${company.tenant.slug}.example`);
    await enterAt(page, login);
    await page.getByRole("alert").getByText(text).waitFor();
    provider.state.fault = undefined;
    await assertSoundInAllViews(window, `sso ${what}`);
    await page.getByRole("link", { name: "Back to the sign-in" }).click();
    await page.getByLabel("E-mail address").waitFor();
    await window.context.close();
  }
});

const now = () => Math.floor(server.clock.now().getTime() / SECOND);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

const SPOILED: Record<string, Fault> = {
  "another issuer": ({ claims }) => void Object.assign(claims, { iss: "https://evil.example" }),
  "the nonce of another sign-in": ({ claims }) => void Object.assign(claims, { nonce: "replayed" }),
  "the algorithm none": (token) => {
    token.text = `${encoded({ alg: "none" })}.${encoded(token.claims)}.`;
  },
  "a clock ahead": ({ claims }) => void Object.assign(claims, { iat: now() + 90 }),
};

browserTest("a spoiled token opens no session, and one with a new key of the provider does", async () => {
  for (const fault of Object.values(SPOILED)) {
    const window = await open();
    const { login, email } = person();
    provider.state.fault = fault;
    await goToProvider(window, email);
    await enterAt(window.page, login);
    await window.page.getByRole("alert").getByText("its answer is not valid").waitFor();
    provider.state.fault = undefined;
    await window.context.close();
  }
  provider.rotate();
  server.clock.advance(6 * SECOND);
  server.clock.step(-6 * SECOND);
  const window = await open();
  await signInAtProvider(window, person());
  await window.context.close();
});

browserTest("while the provider is away, the sign-in page says so, and a password is offered", async () => {
  const window = await open(/oidc\/start$/);
  const { page } = window;
  const { email } = person();
  // The description of the provider is no longer cached, not even by a sign-in whose clock was ahead.
  server.clock.step(60 * MINUTE);
  provider.state.isAway = true;
  try {
    await goToProvider(window, email);
    await page.getByRole("alert").getByText("cannot be reached").waitFor();
    await page.getByRole("button", { name: "Use a password" }).waitFor();
    await assertSoundInAllViews(window, "sso away");
  } finally {
    provider.state.isAway = false;
    server.clock.step(-60 * MINUTE);
  }
  await window.context.close();
});

browserTest(
  "the settings show the addresses to register, and a test in a window shows what the provider says",
  async () => {
    const window = await open();
    const { page, context } = window;
    const { login, email } = person({ groups: ["it"] });
    const { browser } = await comeIn(server, company, login);
    await useSession(window, server, browser.cookie());
    await page.goto("/settings/single-sign-on");
    await page.getByText(`${server.httpUrl}/sign-in/provider/${company.tenant.caller.tenantId}`).waitFor();
    await page.getByText(`${server.httpUrl}/api/sign-in/oidc/logout/${company.tenant.caller.tenantId}`).waitFor();
    await assertSoundInAllViews(window, "sso settings");
    const popup = context.waitForEvent("page");
    await page.getByRole("button", { name: "Test the provider" }).click();
    await enterAt(await popup, login);
    await page.getByText(`The provider knows you as ${email}`).waitFor();
    assert.deepEqual(window.problems, []);
    await context.close();
  },
);
