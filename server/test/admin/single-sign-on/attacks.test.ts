import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser } from "../../harness/sign-in.ts";
import { type Company, comeIn, newCompany } from "../../harness/single-sign-on/company.ts";
import {
  type Fault,
  type ForeignProvider,
  providerBrowser,
  startForeignProvider,
} from "../../harness/single-sign-on/foreign-provider.ts";

/** Faults and attacks at the seam between service, browser and provider. */
let server: TestServer;
let provider: ForeignProvider;
let company: Company;

before(async () => {
  server = await startServer({ env: { MUSTER_OIDC_ALLOW_PRIVATE: "true" } });
  provider = await startForeignProvider();
  provider.people.ada = { groups: ["ops"] };
  company = await newCompany(server, provider, {
    firstSignIn: "mapped",
    mapping: { claim: "groups", rules: [{ value: "ops", role: "operator", groupIds: [] }] },
  });
  provider.people.mallory = { email: `mallory@${company.tenant.slug}.example`, groups: ["ops"] };
  provider.people.ada.email = `ada@${company.tenant.slug}.example`;
});
after(async () => {
  await provider?.stop();
  await server.stop();
});

async function withFault(fault: Fault) {
  provider.state.fault = fault;
  try {
    return await comeIn(server, company, "ada");
  } finally {
    provider.state.fault = undefined;
  }
}

/** Begins a sign-in in a browser, and brings it the query of the provider. */
async function begun(browser = newBrowser(server)) {
  const { json } = await browser.call("POST", "/sign-in/oidc/start", { body: { tenant: company.tenant.slug } });
  const body = await providerBrowser().goTo(json.url, "ada");
  const finish = (changed = body.query, by = browser) =>
    by.call("POST", "/sign-in/oidc/callback", { body: { ...body, query: changed } });
  return { url: new URL(json.url), body, query: body.query, browser, finish };
}

const FAULTS: Record<string, Fault> = {
  "another audience": ({ claims }) => void Object.assign(claims, { aud: "another-client" }),
  "another issuer": ({ claims }) => void Object.assign(claims, { iss: "https://evil.example" }),
  "another nonce": ({ claims }) => void Object.assign(claims, { nonce: "replayed" }),
  "no nonce": ({ claims }) => void delete claims.nonce,
  "no subject": ({ claims }) => void delete claims.sub,
  "an expiry more than a minute ago": ({ claims }) => void Object.assign(claims, { exp: now() - 90 }),
  "a beginning more than a minute ahead": ({ claims }) => void Object.assign(claims, { nbf: now() + 90 }),
  "an issue more than a minute ahead": ({ claims }) => void Object.assign(claims, { iat: now() + 90 }),
  "the algorithm none": (token) => {
    token.text = `${encoded({ alg: "none" })}.${encoded(token.claims)}.`;
  },
  "a signature with the client secret": (token) => {
    token.text = `${encoded({ alg: "HS256" })}.${encoded(token.claims)}.${encoded("mac")}`;
  },
  "a signature of another key": (token) => {
    token.text = `${encoded({ ...token.header })}.${encoded(token.claims)}.${"A".repeat(342)}`;
  },
  "an unknown key": ({ header }) => void Object.assign(header, { kid: "unknown" }),
};

const now = () => Math.floor(server.clock.now().getTime() / SECOND);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

for (const [what, fault] of Object.entries(FAULTS))
  test(`a token with ${what} opens no session, and the answer does not say why`, async () => {
    const { status, json, browser } = await withFault(fault);
    assert.deepEqual([status, json.error, json.detail], [502, "provider_failed", undefined]);
    assert.equal((await browser.call("GET", "/session")).status, 401);
  });

test("clocks may differ by less than a minute", async () => {
  const ahead: Fault = ({ claims }) => Object.assign(claims, { iat: now() + 50, nbf: now() + 50, exp: now() + 600 });
  assert.equal((await withFault(ahead)).status, 200);
  const behind: Fault = ({ claims }) => Object.assign(claims, { iat: now() - 600, exp: now() - 20 });
  assert.equal((await withFault(behind)).status, 200);
});

test("a rotated key of the provider is fetched when a token names it", async () => {
  assert.equal((await comeIn(server, company, "ada")).status, 200);
  provider.rotate();
  server.clock.advance(6 * SECOND);
  server.clock.step(-6 * SECOND);
  assert.equal((await comeIn(server, company, "ada")).status, 200);
});

test("the request is bound by state, nonce and a code challenge, and tells the provider nothing else", async () => {
  const { url } = await begun();
  const { code_challenge: challenge, state, nonce, ...others } = Object.fromEntries(url.searchParams);
  assert.ok([challenge, state, nonce].every((text) => text !== undefined && text.length >= 43));
  assert.deepEqual(others, {
    client_id: "muster",
    max_age: "31536000",
    code_challenge_method: "S256",
    redirect_uri: `${server.httpUrl}/sign-in/provider/${company.tenant.caller.tenantId}`,
    response_type: "code",
    scope: "openid email groups",
  });
});

test("an answer completes one sign-in only, also when it is brought twice at the same time", async () => {
  const { finish } = await begun();
  const statuses = (await Promise.all([finish(), finish(), finish()])).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 410, 410]);
  assert.equal((await finish()).json.error, "sign_in_flow_expired");
});

test("an answer completes nothing in a browser that did not begin the sign-in (fixation)", async () => {
  const { query, finish } = await begun();
  const victim = newBrowser(server);
  assert.equal((await finish(query, victim)).status, 410);
  const other = await begun(victim);
  assert.equal((await finish(query, victim)).status, 410);
  assert.equal((await other.finish()).status, 200);
  assert.equal((await finish()).status, 200);
});

test("a forged or changed cookie of a sign-in is refused", async () => {
  const { browser, body } = await begun();
  const name = "__Host-muster-flow";
  const cookie = browser.cookies.get(name)!;
  const [payload = "", mac] = cookie.split(".");
  const flow = JSON.parse(Buffer.from(payload, "base64url").toString());
  for (const forged of [
    `${encoded({ ...flow, tenantId: "x" })}.${mac}`,
    `${payload}.${"A".repeat(43)}`,
    payload,
    "",
    "a.b",
  ]) {
    browser.cookies.set(name, forged);
    assert.equal((await browser.call("POST", "/sign-in/oidc/callback", { body })).status, 410, forged);
  }
  browser.cookies.set(name, cookie);
  assert.equal((await browser.call("POST", "/sign-in/oidc/callback", { body })).status, 200);
});

test("an answer that names another issuer, or none, is refused before its code is used (mix-up, RFC 9207)", async () => {
  for (const change of [
    (query: URLSearchParams) => query.set("iss", "https://evil.example"),
    (query: URLSearchParams) => query.delete("iss"),
  ]) {
    const { query, finish } = await begun();
    const changed = new URLSearchParams(query);
    change(changed);
    const asked = provider.state.tokensAsked;
    assert.equal((await finish(changed.toString())).json.error, "provider_failed");
    assert.equal(provider.state.tokensAsked, asked);
  }
});

test("the code of a provider without RFC 9207 reaches no provider of another tenant (mix-up)", async () => {
  const evil = await startForeignProvider();
  provider.state.namesItself = false;
  evil.state.namesItself = false;
  try {
    const [honest, malicious] = [await newCompany(server, provider), await newCompany(server, evil)];
    const start = async ({ tenant }: Company) => {
      const browser = newBrowser(server);
      const { json } = await browser.call("POST", "/sign-in/oidc/start", { body: { tenant: tenant.slug } });
      return { browser, url: new URL(json.url) };
    };
    const [attacker, victim] = [await start(honest), await start(malicious)];
    // The malicious provider leads the victim on to the honest one, with the attacker's challenge and nonce.
    attacker.url.searchParams.set("state", victim.url.searchParams.get("state")!);
    const answer = await providerBrowser().goTo(attacker.url.href, "ada");
    const query = new URLSearchParams(answer.query);
    query.delete("iss");
    const asked = evil.state.tokensAsked;
    const finish = async (tenantId: string) =>
      await victim.browser.call("POST", "/sign-in/oidc/callback", { body: { tenantId, query: query.toString() } });
    assert.equal((await finish(answer.tenantId)).json.error, "sign_in_flow_expired");
    assert.equal(evil.state.tokensAsked, asked, "the code stayed with the service");
    await finish(malicious.tenant.caller.tenantId);
    assert.equal(evil.state.tokensAsked, asked + 1, "it would have reached the malicious provider on its own page");
    attacker.url.searchParams.set("redirect_uri", victim.url.searchParams.get("redirect_uri")!);
    await assert.rejects(providerBrowser().goTo(attacker.url.href, "ada"), /redirect_uri/);
  } finally {
    provider.state.namesItself = true;
    await evil.stop();
  }
});

test("a sign-in that takes too long, or whose provider was changed meanwhile, begins again", async () => {
  const slow = await begun();
  server.clock.advance(10 * MINUTE);
  assert.equal((await slow.finish()).status, 410);
  server.clock.step(-10 * MINUTE);
  const outdated = await begun();
  await company.save({ enabled: false });
  assert.equal((await outdated.finish()).status, 410);
  await company.save({ enabled: true });
});

test("a refusal of the provider is told with its code, and a query without code or state is refused", async () => {
  const { finish, url } = await begun();
  const state = url.searchParams.get("state")!;
  const iss = encodeURIComponent(provider.issuer);
  for (const query of ["", "code=x", "state=", `state=${state}x`])
    assert.equal((await finish(query)).status, 410, query);
  const { json } = await finish(`error=access_denied&state=${state}&iss=${iss}`);
  assert.match(json.message, /refused the sign-in \(access_denied\)/);
});

test("while the provider is away, sign-ins at it fail with a clear answer, and passwords work", async () => {
  const { finish } = await begun();
  provider.state.isAway = true;
  try {
    const { status, json } = await finish();
    assert.deepEqual([status, json.error], [502, "provider_failed"]);
    const { email, password } = company.admin;
    assert.equal((await newBrowser(server).call("POST", "/session", { body: { email, password } })).status, 200);
  } finally {
    provider.state.isAway = false;
  }
});

test("two first sign-ins of the same person create one user", async () => {
  provider.people.twin = { email: `twin@${company.tenant.slug}.example`, groups: ["ops"] };
  const answers = await Promise.all([0, 1, 2].map(() => comeIn(server, company, "twin")));
  const ids = new Set(answers.map(({ json, text }) => json.user?.id ?? text));
  assert.equal(ids.size, 1, [...ids].join());
});

test("a session that an attacker put into the browser does not become the person's (session fixation)", async () => {
  const attacker = await comeIn(server, company, "mallory");
  const planted = attacker.browser.cookies.get("__Host-muster")!;
  const victim = newBrowser(server);
  victim.cookies.set("__Host-muster", planted);
  const { json } = await comeIn(server, company, "ada", { browser: victim });
  assert.notEqual(victim.cookies.get("__Host-muster"), planted);
  const still = await attacker.browser.call("GET", "/session");
  assert.deepEqual([still.json.user.id === json.user.id, still.json.user.id], [false, attacker.json.user.id]);
});

test("ids that cannot be stored, and addresses that only look like another's, open no session", async () => {
  for (const change of [{ sub: "a\0b" }, { sub: "s".repeat(3_000) }, { sid: "s".repeat(3_000) }, { sub: 7 }]) {
    const { status, json } = await withFault(({ claims }) => void Object.assign(claims, change));
    assert.deepEqual([status, json.error], [502, "provider_failed"], JSON.stringify(change).slice(0, 40));
  }
  // A Kelvin sign becomes a k in lower case.
  const { tenant, admin } = company;
  const kim = { email: `kim@${tenant.slug}.example`, role: "admin" as const };
  await server.app.access.createUser(tenant.caller, kim);
  for (const email of [
    `\u212aim@${tenant.slug}.example`,
    `"kim"@${tenant.slug}.example`,
    `${kim.email}\0`,
    `${admin.email}@x`,
  ]) {
    provider.people.lookalike = { email, email_verified: true, groups: ["ops"] };
    const { status } = await comeIn(server, company, "lookalike");
    assert.ok([400, 403].includes(status), `${email}: ${status}`);
  }
});

test("no sign-in leads to a page of another origin", async () => {
  for (const body of [{ tenant: "x", returnTo: "https://evil.example" }, { url: "https://evil.example" }])
    assert.equal((await newBrowser(server).call("POST", "/sign-in/oidc/start", { body })).status, 400);
});

test("an issuer in a private network is refused unless the operator allows it", async () => {
  const strict = await startServer();
  try {
    const refused = await newCompany(strict, provider).catch((error: Error) => error);
    assert.match(String(refused), /MUSTER_OIDC_ALLOW_PRIVATE/);
  } finally {
    await strict.stop();
  }
});
