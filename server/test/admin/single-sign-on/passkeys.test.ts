import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { SECOND } from "../../../src/lib/clock.ts";
import { addPasskey, type SoftAuthenticator, signInWith } from "../../harness/http/passkeys.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, type SignedIn, signIn } from "../../harness/sign-in.ts";
import { comeIn, newCompany } from "../../harness/single-sign-on/company.ts";
import {
  type ForeignProvider,
  providerBrowser,
  startForeignProvider,
} from "../../harness/single-sign-on/foreign-provider.ts";

/** Passkeys of users whose tenant has an identity provider. */
let server: TestServer;
let provider: ForeignProvider;

before(async () => {
  server = await startServer({ env: { MUSTER_OIDC_ALLOW_PRIVATE: "true" } });
  provider = await startForeignProvider();
});
afterEach(() => {
  provider.state.fault = undefined;
});
after(async () => {
  await provider?.stop();
  await server.stop();
});

let counted = 0;
function loginOf({ email }: Pick<SignedIn, "email">): string {
  const login = `holder-${++counted}`;
  provider.people[login] = { email, email_verified: true };
  return login;
}

async function sign(user: Pick<SignedIn, "call">, device: SoftAuthenticator) {
  return { passkey: device.get((await user.call("POST", "/session/passkey/start")).json) };
}

test("where the provider is required, a passkey signs nobody in (downgrade) but named admins", async () => {
  const company = await newCompany(server, provider);
  const [glass, user] = [await signIn(server, company.tenant), await signIn(server, company.tenant, "operator")];
  const [ofGlass, ofUser] = [await addPasskey(server, glass), await addPasskey(server, user)];
  const rule = { rule: "break_glass", breakGlass: [glass.userId] };
  assert.equal((await company.save(rule)).status, 200, "a passkey is the second factor that they must have");
  const refused = await signInWith(newBrowser(server), ofUser.device);
  assert.deepEqual([refused.status, refused.json.error], [403, "sso_required"]);
  const admitted = newBrowser(server);
  assert.equal((await signInWith(admitted, ofGlass.device)).status, 200);
  const last = await admitted.call("DELETE", `/passkeys/${ofGlass.passkeyId}`);
  assert.deepEqual([last.status, last.json.error], [409, "factor_mandatory"]);
});

test("after the provider a passkey is the second factor, and again before a dangerous act", async () => {
  const company = await newCompany(server, provider);
  const [user, login] = [company.admin, loginOf(company.admin)];
  const { device } = await addPasskey(server, user);
  const { json, browser } = await comeIn(server, company, login);
  assert.equal(json.factor, "required");
  const given = await browser.call("POST", "/session/passkey/factor", { body: await sign(browser, device) });
  assert.equal(given.json.factor, "given", given.text);
  assert.equal((await company.save({ rule: "required" })).status, 200);
  const alone = await browser.call("POST", "/session/passkey/step-up", { body: await sign(browser, device) });
  assert.deepEqual([alone.status, alone.json.error], [403, "sso_required"]);
  assert.equal((await browser.call("POST", "/session/oidc/start", { body: {} })).json.error, "factor_required");
  provider.state.fault = ({ claims }) => {
    const at = Math.floor(server.clock.now().getTime() / SECOND);
    Object.assign(claims, { iat: at, exp: at + 3_600, auth_time: at });
  };
  const begun = await browser.call("POST", "/session/oidc/start", { body: await sign(browser, device) });
  assert.equal(begun.status, 200, begun.text);
  const body = await providerBrowser().goTo(begun.json.url, login);
  assert.equal((await browser.call("POST", "/session/oidc/callback", { body })).status, 204);
});

test("a passkey alone neither signs in nor confirms a user without a password (offboarding), only after the provider", async () => {
  const company = await newCompany(server, provider, {
    firstSignIn: "mapped",
    mapping: { claim: "groups", rules: [{ value: "ops", role: "operator", groupIds: [] }] },
  });
  const login = "mapped-holder";
  provider.people[login] = { email: `${login}@${company.tenant.slug}.example`, groups: ["ops"] };
  const { browser } = await comeIn(server, company, login);
  const { device } = await addPasskey(server, browser);
  const alone = await signInWith(newBrowser(server), device);
  assert.deepEqual([alone.status, alone.json.error], [403, "sso_required"]);
  const confirmed = await browser.call("POST", "/session/passkey/step-up", { body: await sign(browser, device) });
  assert.deepEqual([confirmed.status, confirmed.json.error], [403, "sso_required"]);
  const again = await comeIn(server, company, login);
  const body = await sign(again.browser, device);
  assert.equal((await again.browser.call("POST", "/session/passkey/factor", { body })).json.factor, "given");
});

test("a named admin must keep a second factor, and one who is no admin any more need not", async () => {
  const company = await newCompany(server, provider);
  const glass = await signIn(server, company.tenant);
  const { device, passkeyId } = await addPasskey(server, glass);
  assert.equal((await company.save({ rule: "break_glass", breakGlass: [glass.userId] })).status, 200);
  assert.equal((await glass.call("GET", "/factors")).json.mandatory, true);
  await server.app.access.changeUser(company.tenant.caller, glass.userId, { role: "operator" });
  const { browser } = await comeIn(server, company, loginOf(glass));
  await browser.call("POST", "/session/passkey/factor", { body: await sign(browser, device) });
  assert.equal((await browser.call("GET", "/factors")).json.mandatory, false);
  const removed = await browser.call("DELETE", `/passkeys/${passkeyId}`);
  assert.equal(removed.status, 204, removed.text);
});
