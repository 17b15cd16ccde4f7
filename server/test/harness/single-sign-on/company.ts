import assert from "node:assert/strict";
import { newTenant, type TestTenant } from "../devices.ts";
import type { HttpAnswer } from "../http/http-answer.ts";
import type { TestServer } from "../server.ts";
import { newBrowser, type SignedIn, signIn } from "../sign-in.ts";
import { CLIENT, type ForeignProvider, providerBrowser } from "./foreign-provider.ts";

/** A tenant whose people sign in at a foreign provider. */
export interface Company {
  tenant: TestTenant;
  admin: SignedIn;
  /** Saves settings over the present ones. */
  save(change?: Record<string, unknown>): Promise<HttpAnswer>;
  /** Tests the connection as a person of the provider. */
  tryOut(login: string): Promise<HttpAnswer>;
}

export type Browser = ReturnType<typeof newBrowser>;

/** A tenant with the provider, tested and switched on, and the domain `<slug>.example`. */
export async function newCompany(
  server: TestServer,
  provider: ForeignProvider,
  change: Record<string, unknown> = {},
): Promise<Company> {
  const tenant = await newTenant(server);
  const admin = await signIn(server, tenant);
  await server.app.access.addTenantDomain(tenant.caller, `${tenant.slug}.example`);
  let settings: Record<string, unknown> = {
    issuer: provider.issuer,
    clientId: CLIENT.id,
    scopes: ["openid", "email", "groups"],
    enabled: false,
    firstSignIn: "refused",
    rule: "password",
    breakGlass: [],
    mapping: null,
  };
  const save = async (next: Record<string, unknown> = {}) => {
    const answer = await admin.call("PUT", "/single-sign-on", { body: { ...settings, ...next } });
    const { clientSecret: _, ...kept } = next;
    if (answer.status === 200) settings = { ...settings, ...kept };
    return answer;
  };
  followRealTime(server);
  const tryOut = async (login: string) => {
    const begun = await admin.call("POST", "/single-sign-on/test");
    assert.equal(begun.status, 200, begun.text);
    const body = await providerBrowser().goTo(begun.json.url, login);
    return await admin.call("POST", "/single-sign-on/test/callback", { body });
  };
  const saved = await save({ clientSecret: CLIENT.secret });
  assert.equal(saved.status, 200, saved.text);
  provider.redirectUris.add(saved.json.redirectUri);
  provider.people.tester ??= { email: "tester@example.com", email_verified: true };
  const tested = await tryOut("tester");
  assert.equal(tested.status, 200, tested.text);
  const on = await save({ enabled: true, ...change });
  assert.equal(on.status, 200, on.text);
  return { tenant, admin, save, tryOut };
}

/** Signs a person in at the provider, in a browser of Muster, and returns the answer of the last step. */
export async function comeIn(
  server: TestServer,
  company: Company,
  login: string,
  { browser = newBrowser(server), at = providerBrowser() } = {},
): Promise<HttpAnswer & { browser: Browser }> {
  followRealTime(server);
  const begun = await browser.call("POST", "/sign-in/oidc/start", { body: { tenant: company.tenant.slug } });
  assert.equal(begun.status, 200, begun.text);
  const body = await at.goTo(begun.json.url, login);
  const answer = await browser.call("POST", "/sign-in/oidc/callback", { body });
  return { ...answer, browser };
}

/** Catches the clock of the service up with the real time, which the provider tells. */
export function followRealTime({ clock }: TestServer): void {
  const behindSeconds = Math.floor((Date.now() - clock.now().getTime()) / 1_000);
  if (behindSeconds > 0) clock.advance(behindSeconds * 1_000);
}
