import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { HOUR, SECOND } from "../../../src/lib/clock.ts";
import { turnOnFactor } from "../../harness/second-factor.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn, tokenOf } from "../../harness/sign-in.ts";
import { type Browser, type Company, comeIn, newCompany } from "../../harness/single-sign-on/company.ts";
import {
  type ForeignProvider,
  providerBrowser,
  startForeignProvider,
} from "../../harness/single-sign-on/foreign-provider.ts";

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
  const login = `user-${++counted}`;
  provider.people[login] = { email, email_verified: true };
  return login;
}

const withPassword = ({ email }: { email: string }) =>
  newBrowser(server).call("POST", "/session", { body: { email, password: PASSWORD } });

/** A company whose admin has signed in at the provider, which it then requires. */
async function requiring(): Promise<Company> {
  const company = await newCompany(server, provider);
  assert.equal((await company.save({ rule: "required" })).json.error, "last_admin");
  assert.equal((await comeIn(server, company, loginOf(company.admin))).status, 200);
  assert.equal((await company.save({ rule: "required" })).status, 200);
  return company;
}

test("the provider is required only once an admin has signed in there; other password sessions then end", async () => {
  const company = await newCompany(server, provider);
  const viewer = await signIn(server, company.tenant, "viewer");
  assert.equal((await comeIn(server, company, loginOf(company.admin))).status, 200);
  await company.save({ rule: "required" });
  assert.equal((await viewer.call("GET", "/session")).status, 401);
  assert.equal((await company.admin.call("GET", "/session")).status, 200);
});

test("where the provider is required, a right password, a reset and an invitation open nothing (downgrade)", async () => {
  const company = await newCompany(server, provider);
  const user = await signIn(server, company.tenant, "operator");
  const reset = await server.app.identity.createResetLink(company.tenant.caller, user.userId);
  const invite = await server.app.identity.inviteUser(company.tenant.caller, {
    email: `new@${company.tenant.slug}.example`,
    role: "admin",
  });
  assert.equal((await comeIn(server, company, loginOf(company.admin))).status, 200);
  await company.save({ rule: "required" });
  const refused = await withPassword(user);
  assert.deepEqual([refused.status, refused.json.error], [403, "sso_required"]);
  const wrong = await newBrowser(server).call("POST", "/session", { body: { email: user.email, password: "wrong" } });
  assert.equal(wrong.json.error, "invalid_credentials");
  const open = (path: string, url: string) =>
    newBrowser(server).call("POST", path, { body: { token: tokenOf(url), password: "another good pass phrase" } });
  assert.equal((await open("/password/reset", reset.url)).json.error, "sso_required");
  assert.equal((await open("/invites/accept", invite.url)).json.error, "sso_required");
  const again = await company.admin.call("POST", `/users/${user.userId}/reset`);
  assert.equal(again.json.error, "sso_required", again.text);
  const methods = { body: { tenant: company.tenant.slug } };
  assert.equal((await newBrowser(server).call("POST", "/sign-in/methods", methods)).json.password, false);
  await company.save({ enabled: false });
  assert.equal((await withPassword(user)).status, 200);
});

test("where the provider is required, a password confirms no dangerous act (downgrade)", async () => {
  const company = await newCompany(server, provider);
  const { browser } = await comeIn(server, company, loginOf(company.admin));
  await company.save({ rule: "required" });
  const confirmed = await browser.call("POST", "/session/step-up", { body: { password: PASSWORD } });
  assert.deepEqual([confirmed.status, confirmed.json.error], [403, "sso_required"]);
  await company.save({ rule: "password" });
  assert.equal((await browser.call("POST", "/session/step-up", { body: { password: PASSWORD } })).status, 204);
});

test("sessions that a removed or replaced provider began end, except that of the admin", async () => {
  for (const change of [
    (admin: Browser) => admin.call("DELETE", "/single-sign-on"),
    async (_admin: Browser, company: Company) =>
      await company.save({ issuer: "https://elsewhere.example", clientSecret: "s", enabled: false }),
  ]) {
    const company = await newCompany(server, provider);
    const user = await signIn(server, company.tenant, "viewer");
    const [own, other] = [loginOf(company.admin), loginOf(user)];
    const [admin, victim] = [await comeIn(server, company, own), await comeIn(server, company, other)];
    const answer = await change(admin.browser, company);
    assert.ok(answer.status < 300, answer.text);
    assert.equal((await victim.browser.call("GET", "/session")).status, 401);
    assert.equal((await user.call("GET", "/session")).status, 200);
  }
});

test("named break-glass admins with a second factor keep their password, and nobody else", async () => {
  const company = await newCompany(server, provider);
  const [glass, other] = [await signIn(server, company.tenant), await signIn(server, company.tenant)];
  const rule = { rule: "break_glass", breakGlass: [glass.userId] };
  assert.equal((await company.save({ rule: "break_glass" })).json.error, "last_admin");
  assert.equal((await company.save(rule)).json.error, "last_admin");
  await turnOnFactor(server, glass);
  assert.equal((await company.save(rule)).status, 200);
  assert.equal((await withPassword(glass)).json.factor, "required");
  assert.equal((await withPassword(other)).json.error, "sso_required");
  await server.app.access.changeUser(company.tenant.caller, glass.userId, { role: "operator" });
  assert.equal((await withPassword(glass)).json.error, "sso_required");
});

test("a second factor that the user has here is asked for after the provider, too", async () => {
  const company = await newCompany(server, provider);
  const user = await signIn(server, company.tenant);
  const app = await turnOnFactor(server, user);
  const { json, browser } = await comeIn(server, company, loginOf(user));
  assert.equal(json.factor, "required");
  const given = await browser.call("POST", "/session/factor", { body: { code: app.nextCode() } });
  assert.equal(given.json.factor, "given");
  const events = await server.app.access.listAdminActs(company.tenant.caller, { skip: 0, limit: 1 });
  assert.equal((events.items[0]!.after as { provider: string }).provider, provider.issuer);
});

/** Makes the provider tell times by the clock of the service, which codes of second factors have moved. */
function sharedClock(): void {
  provider.state.fault = ({ claims }) => {
    const at = Math.floor(server.clock.now().getTime() / SECOND);
    Object.assign(claims, { iat: at, exp: at + 3_600, auth_time: at });
  };
}

/** Confirms at the provider who the user of a session is. */
async function verify(browser: Pick<Browser, "call">, login: string, body = {}) {
  const begun = await browser.call("POST", "/session/oidc/start", { body });
  if (begun.status !== 200) return begun;
  const answered = await providerBrowser().goTo(begun.json.url, login);
  return await browser.call("POST", "/session/oidc/callback", { body: answered });
}

test("the provider asks again before a dangerous act, and no other person can answer", async () => {
  const company = await newCompany(server, provider);
  const login = loginOf(company.admin);
  const { browser } = await comeIn(server, company, login);
  server.clock.step(HOUR);
  const act = () => browser.call("POST", `/users/${company.admin.userId}/reset`);
  assert.equal((await act()).json.error, "reauthentication_required");
  sharedClock();
  const stranger = loginOf({ email: "stranger@example.com" });
  assert.equal((await verify(browser, stranger)).json.detail, "other_account");
  const done = await verify(browser, login);
  assert.equal(done.status, 204, done.text);
  assert.equal((await act()).status, 201);
  provider.state.fault = undefined;
  server.clock.step(-HOUR);
});

test("a sign-in for which the provider did not ask confirms no dangerous act, also after a second factor", async () => {
  const company = await newCompany(server, provider);
  const [user, other] = [await signIn(server, company.tenant), await signIn(server, company.tenant)];
  const app = await turnOnFactor(server, other);
  const logins = [loginOf(user), loginOf(other)] as const;
  const act = async (browser: Pick<Browser, "call">) =>
    (await browser.call("POST", `/users/${company.admin.userId}/reset`)).json.error;
  const hourAgo = (claims: Record<string, unknown>) =>
    Object.assign(claims, { auth_time: Math.floor((server.clock.now().getTime() - HOUR) / SECOND) });
  const first = await comeIn(server, company, logins[0]);
  assert.equal(await act(first.browser), undefined);
  for (const change of [hourAgo, (claims: Record<string, unknown>) => delete claims.auth_time]) {
    provider.state.fault = ({ claims }) => void change(claims);
    assert.equal(await act((await comeIn(server, company, logins[0])).browser), "reauthentication_required");
    const { browser } = await comeIn(server, company, logins[1]);
    const given = await browser.call("POST", "/session/factor", { body: { code: app.nextCode() } });
    assert.equal(given.json.factor, "given", given.text);
    assert.equal(await act(browser), "reauthentication_required");
  }
});

test("a provider whose settings no operator saved confirms nobody who runs the installation", async () => {
  const company = await newCompany(server, provider);
  const { email } = await signIn(server, company.tenant);
  await server.app.access.setPlatformUser(company.tenant.caller, email, true);
  const operator = newBrowser(server);
  await operator.call("POST", "/session", { body: { email, password: PASSWORD } });
  const { testedAt: _, ...settings } = (await operator.call("GET", "/single-sign-on")).json.provider;
  assert.equal((await operator.call("PUT", "/single-sign-on", { body: settings })).status, 200);
  const login = loginOf({ email });
  const { browser, status } = await comeIn(server, company, login);
  assert.equal(status, 200);
  await company.save();
  sharedClock();
  const refused = await verify(browser, login);
  assert.deepEqual([refused.status, refused.json.detail], [403, "runs_installation"], refused.text);
});

test("a provider that does not ask again, or does not say when it did, confirms nobody", async () => {
  const company = await newCompany(server, provider);
  const login = loginOf(company.admin);
  const { browser } = await comeIn(server, company, login);
  for (const change of [
    (claims: Record<string, unknown>) => delete claims.auth_time,
    (claims: Record<string, unknown>) => Object.assign(claims, { auth_time: Number(claims.auth_time) - 120 }),
  ]) {
    provider.state.fault = ({ claims }) => void change(claims);
    assert.equal((await verify(browser, login)).json.error, "provider_failed");
    provider.state.fault = undefined;
  }
});

test("an answer for one session confirms no other, and a sign-in is no confirmation", async () => {
  const company = await newCompany(server, provider);
  const login = loginOf(company.admin);
  const [one, other] = [await comeIn(server, company, login), await comeIn(server, company, login)];
  sharedClock();
  const begun = await one.browser.call("POST", "/session/oidc/start", { body: {} });
  const answered = await providerBrowser().goTo(begun.json.url, login);
  other.browser.cookies.set("__Host-muster-flow", one.browser.cookies.get("__Host-muster-flow")!);
  assert.equal((await other.browser.call("POST", "/session/oidc/callback", { body: answered })).status, 410);

  const signing = await one.browser.call("POST", "/sign-in/oidc/start", { body: { tenant: company.tenant.slug } });
  const answer = await providerBrowser().goTo(signing.json.url, login);
  const misused = await one.browser.call("POST", "/session/oidc/callback", { body: answer });
  assert.equal(misused.json.error, "sign_in_flow_expired");
});

test("confirming at the provider needs the second factor that the user has here", async () => {
  const company = await newCompany(server, provider);
  const user = await signIn(server, company.tenant);
  const app = await turnOnFactor(server, user);
  const login = loginOf(user);
  const { browser } = await comeIn(server, company, login);
  await browser.call("POST", "/session/factor", { body: { code: app.nextCode() } });
  sharedClock();
  assert.equal((await verify(browser, login)).json.error, "factor_required");
  assert.equal((await verify(browser, login, { code: "000000" })).json.error, "invalid_credentials");
  const done = await verify(browser, login, { code: app.nextCode() });
  assert.equal(done.status, 204, done.text);
});

test("at the shell, the provider is switched off, and a user is unlinked", async () => {
  const company = await requiring();
  const { identity } = server.app;
  await identity.resetProviderLink(company.tenant.caller, company.admin.userId);
  const renewed = await comeIn(server, company, loginOf(company.admin));
  assert.equal(renewed.json.user.id, company.admin.userId);
  await identity.resetProviderLink(company.tenant.caller, company.admin.userId);
  assert.equal((await renewed.browser.call("GET", "/session")).status, 401);
  assert.equal((await withPassword(company.admin)).json.error, "sso_required");
  await identity.switchSingleSignOnOff(company.tenant.caller);
  assert.equal((await withPassword(company.admin)).status, 200);
});
