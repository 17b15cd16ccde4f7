import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { eventually } from "../../harness/eventually.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, signIn } from "../../harness/sign-in.ts";
import { type Company, comeIn, newCompany } from "../../harness/single-sign-on/company.ts";
import {
  CLIENT,
  type ForeignProvider,
  providerBrowser,
  startForeignProvider,
} from "../../harness/single-sign-on/foreign-provider.ts";

/** Logouts at the provider end the sessions here (OpenID Connect Back-Channel Logout 1.0). */
let server: TestServer;
let provider: ForeignProvider;
let company: Company;
let logoutUri: string;

before(async () => {
  server = await startServer({ env: { MUSTER_OIDC_ALLOW_PRIVATE: "true" } });
  provider = await startForeignProvider({ trusts: server.ca });
  company = await newCompany(server, provider, {
    firstSignIn: "mapped",
    mapping: { claim: "groups", rules: [{ value: "ops", role: "operator", groupIds: [] }] },
  });
  ({ logoutUri } = (await company.admin.call("GET", "/single-sign-on")).json);
});
after(async () => {
  await provider?.stop();
  await server.stop();
});

let counted = 0;
function person(): string {
  const login = `person-${++counted}`;
  provider.people[login] = { email: `${login}@${company.tenant.slug}.example`, groups: ["ops"] };
  return login;
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const isIn = async (browser: { call: ReturnType<typeof newBrowser>["call"] }) =>
  (await browser.call("GET", "/session")).status === 200;

const now = () => Math.floor(server.clock.now().getTime() / SECOND);

function claimsFor(sub: string, more: Record<string, unknown> = {}) {
  const event = { "http://schemas.openid.net/event/backchannel-logout": {} };
  const times = { iat: now(), exp: now() + 120 };
  return { iss: provider.issuer, aud: CLIENT.id, ...times, jti: randomUUID(), events: event, sub, ...more };
}

async function report(token: string, uri = logoutUri) {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return await https(uri, { ca: server.ca, headers, body: new URLSearchParams({ logout_token: token }).toString() });
}

for (const sid of [true, false])
  test(`a logout at the provider ${sid ? "with" : "without"} session ids ends the sessions here, as an event`, async () => {
    provider.reportLogouts(logoutUri, { sid });
    const login = person();
    const [desk, phone] = [providerBrowser(), providerBrowser()];
    const [first, second] = [
      await comeIn(server, company, login, { at: desk }),
      await comeIn(server, company, login, { at: phone }),
    ];
    const other = await comeIn(server, company, person());
    await desk.signOut(provider.issuer);
    assert.deepEqual(await Promise.all([first, second, other].map(({ browser }) => isIn(browser))), [false, sid, true]);
    const query = `/audit/admin?act=session.end&target=${first.json.user.id}`;
    const { items } = (await company.admin.call("GET", query)).json;
    assert.equal(items.length, sid ? 1 : 2);
    assert.deepEqual([items[0].actor, items[0].after.provider], ["provider", provider.issuer]);
    assert.equal((await comeIn(server, company, login, { at: desk })).status, 200);
  });

test("a logout ends a live stream of the session", async () => {
  const login = person();
  const { json, browser } = await comeIn(server, company, login);
  const { items } = (await browser.call("GET", "/sessions")).json;
  let ended = false;
  const follow = await server.app.identity.followSession(items[0].id, () => {
    ended = true;
  });
  assert.equal((await report(await provider.sign(claimsFor(login)))).status, 200);
  assert.equal(await eventually(async () => ended), true, json.user.id);
  follow();
});

test("sessions that began with a password go on", async () => {
  const user = await signIn(server, company.tenant, "operator");
  const login = person();
  provider.people[login] = { email: user.email, email_verified: true, groups: ["ops"] };
  const { browser } = await comeIn(server, company, login);
  await report(await provider.sign(claimsFor(login)));
  assert.equal(await isIn(browser), false);
  const own = newBrowser(server);
  await own.call("POST", "/session", { body: { email: user.email, password: PASSWORD } });
  await report(await provider.sign(claimsFor(login)));
  assert.equal(await isIn(own), true);
});

const SPOILED: Record<string, (claims: Record<string, unknown>) => object> = {
  "another issuer": (claims) => ({ ...claims, iss: "https://evil.example" }),
  "another audience": (claims) => ({ ...claims, aud: "another-client" }),
  "no event": (claims) => ({ ...claims, events: {} }),
  "an event that is no object": (claims) => ({
    ...claims,
    events: "http://schemas.openid.net/event/backchannel-logout",
  }),
  "a nonce, as an ID token has": (claims) => ({ ...claims, nonce: "n" }),
  "no session and no subject": ({ sub: _, ...claims }) => claims,
  "a subject that is no text": (claims) => ({ ...claims, sub: ["a"] }),
  "no id": ({ jti: _, ...claims }) => claims,
  "no time": ({ iat: _, ...claims }) => claims,
  "an issue too long ago": (claims) => ({ ...claims, iat: now() - 12 * 60, exp: now() + 60 }),
  "an issue in the future": (claims) => ({ ...claims, iat: now() + 90 }),
  "an expiry in the past": (claims) => ({ ...claims, exp: now() - 90 }),
};

test("a token that is not the provider's logout token ends nothing, and the answer is the same", async () => {
  const login = person();
  const { browser } = await comeIn(server, company, login);
  const refused = async (token: string, what: string, uri?: string) => {
    const { status, json } = await report(token, uri);
    assert.deepEqual([status, json.error], [400, "invalid_request"], what);
    assert.equal(await isIn(browser), true, what);
  };
  for (const [what, spoil] of Object.entries(SPOILED))
    await refused(await provider.sign({ ...spoil(claimsFor(login)) }), what);
  const right = await provider.sign(claimsFor(login), { typ: "logout+jwt" });
  const [header, claims] = right.split(".");
  await refused(await provider.sign(claimsFor(login), { typ: "at+jwt" }), "another type");
  const ofStranger = (header: object) => [header, claimsFor(login), {}].map(encoded).join(".");
  for (const [name, value] of Object.entries({ typ: 1, alg: { toString: 1 } }))
    await refused(ofStranger({ alg: "RS256", [name]: value }), `a ${name} that is no text`);
  await refused(`${header}.${claims}.${"A".repeat(342)}`, "another signature");
  await refused(`${Buffer.from('{"alg":"none"}').toString("base64url")}.${claims}.`, "no signature");
  for (const text of ["", "x", "a.b.c", "x".repeat(9_000)]) await refused(text, text.slice(0, 10));
  const other = await newCompany(server, provider);
  const foreign = logoutUri.replace(company.tenant.caller.tenantId, other.tenant.caller.tenantId);
  assert.equal((await report(right, foreign)).status, 200);
  assert.equal(await isIn(browser), true, "the same person of another tenant");
  await refused(right, "a tenant without a provider", logoutUri.replace(/[^/]+$/, randomUUID()));
  assert.equal((await report(right, logoutUri.replace(/[^/]+$/, "acme"))).status, 404);
  assert.equal((await report(right)).status, 200);
  assert.equal(await isIn(browser), false);
});

test("a token counts once, also when it is brought several times at once", async () => {
  const login = person();
  await comeIn(server, company, login);
  const token = await provider.sign(claimsFor(login));
  const statuses = (await Promise.all([1, 2, 3].map(() => report(token)))).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 400, 400]);
  const { browser } = await comeIn(server, company, login);
  server.clock.advance(9 * MINUTE);
  assert.equal((await report(token)).status, 400);
  server.clock.step(-9 * MINUTE);
  assert.equal(await isIn(browser), true);
});

test("a sign-in that began before the logout is refused, and a later one is not", async () => {
  const login = person();
  const at = providerBrowser();
  const browser = newBrowser(server);
  const { json } = await browser.call("POST", "/sign-in/oidc/start", { body: { tenant: company.tenant.slug } });
  const body = await at.goTo(json.url, login);
  server.clock.advance(SECOND);
  assert.equal((await report(await provider.sign(claimsFor(login)))).status, 200);
  const late = await browser.call("POST", "/sign-in/oidc/callback", { body });
  assert.deepEqual([late.status, late.json.error], [410, "sign_in_flow_expired"]);
  server.clock.advance(SECOND);
  assert.equal((await comeIn(server, company, login)).status, 200);
});

test("while the provider's keys cannot be read the answer says so, and the token can be brought again", async () => {
  const other = await newCompany(server, provider);
  const login = person();
  provider.people[login] = { email: other.admin.email, email_verified: true };
  const { browser } = await comeIn(server, other, login);
  const uri = (await other.admin.call("GET", "/single-sign-on")).json.logoutUri;
  server.clock.step(6 * MINUTE);
  const token = await provider.sign(claimsFor(login));
  provider.state.isAway = true;
  try {
    assert.deepEqual([(await report(token, uri)).status, await isIn(browser)], [502, true]);
  } finally {
    provider.state.isAway = false;
  }
  assert.equal((await report(token, uri)).status, 200);
  assert.equal(await isIn(browser), false);
  server.clock.step(-6 * MINUTE);
});

const metrics = async () => await (await fetch(server.app.api.metricsUrl)).text();

/** Makes the service fetch the description again, but no keys yet. */
async function describedAgain(browser = newBrowser(server)) {
  server.clock.advance(15 * MINUTE);
  const { status } = await browser.call("POST", "/sign-in/oidc/start", { body: { tenant: company.tenant.slug } });
  assert.equal(status, 200);
}

const KEY_FAULTS = {
  "an error": [503, "{}"],
  "a status that HTTP has not": [999, "{}"],
  "no JSON": [200, "<html>"],
  "no key set": [200, "{}"],
} as const;

for (const [what, [code, body]] of Object.entries(KEY_FAULTS))
  test(`while the provider answers ${what} for its keys, that is its failure, also at once again`, async () => {
    await describedAgain();
    const token = await provider.sign(claimsFor(person()));
    provider.state.keys = (response) => response.writeHead(code).end(body);
    try {
      for (let n = 0; n < 2; n++) {
        const { status, json } = await report(token);
        assert.deepEqual([status, json.error], [502, "provider_failed"]);
      }
    } finally {
      provider.state.keys = undefined;
    }
    assert.match(await metrics(), /^muster_identity_provider_logouts_total\{result="provider_failed"\} [1-9]/m);
    server.clock.advance(6 * SECOND);
    assert.equal((await report(token)).status, 200);
  });

test("a token of an unknown key is not valid, also at once again, and no failure of the provider", async () => {
  const failures = async () => /^muster_identity_provider_errors_total\{step="logout"\}.*$/m.exec(await metrics())?.[0];
  await describedAgain();
  const [before, login] = [await failures(), person()];
  for (let n = 0; n < 3; n++) {
    const { status, json } = await report(await provider.sign(claimsFor(login), { kid: `unknown-${n}` }));
    assert.deepEqual([status, json.error], [400, "invalid_request"]);
  }
  assert.equal(await failures(), before);
});

test("twelve logouts at once all succeed while the keys are on their way", async () => {
  await describedAgain();
  let [arrived, release] = [0, () => {}];
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  const count = () => ++arrived === 12 && release();
  server.app.api.server.on("request", count);
  provider.state.keys = (_response, answer) => void all.then(answer);
  try {
    const tokens = await Promise.all(Array.from({ length: 12 }, async () => await provider.sign(claimsFor(person()))));
    const statuses = (await Promise.all(tokens.map((token) => report(token)))).map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([200]));
  } finally {
    provider.state.keys = undefined;
    server.app.api.server.off("request", count);
  }
});

test("a logout with session id refuses a sign-in that began before it and has no session id", async () => {
  const [login, browser] = [person(), newBrowser(server)];
  const { json } = await browser.call("POST", "/sign-in/oidc/start", { body: { tenant: company.tenant.slug } });
  const body = await providerBrowser().goTo(json.url, login);
  server.clock.advance(SECOND);
  assert.equal((await report(await provider.sign(claimsFor(login, { sid: "its session" })))).status, 200);
  provider.state.fault = ({ claims }) => {
    delete claims.sid;
    Object.assign(claims, { iat: now(), exp: now() + 600 });
  };
  try {
    const late = await browser.call("POST", "/sign-in/oidc/callback", { body });
    assert.deepEqual([late.status, late.json.error], [410, "sign_in_flow_expired"]);
  } finally {
    provider.state.fault = undefined;
  }
});

test("only a form by POST is read, and not a large one", async () => {
  assert.equal((await https(logoutUri, { ca: server.ca })).status, 405);
  assert.equal((await https(logoutUri, { ca: server.ca, body: { logout_token: "x" } })).status, 415);
  assert.equal((await report("x".repeat(20_000))).status, 413);
});

test("too many tokens from one address block are refused for a minute", async () => {
  const limited = await startServer({ env: { MUSTER_LIMIT_PROVIDER_LOGOUTS_PER_MINUTE: "3" } });
  try {
    const uri = `${limited.httpUrl}/api/sign-in/oidc/logout/${randomUUID()}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const statuses = [];
    for (let n = 0; n < 4; n++)
      statuses.push((await https(uri, { ca: limited.ca, headers, body: "logout_token=x" })).status);
    assert.deepEqual(statuses, [400, 400, 400, 429]);
  } finally {
    await limited.stop();
  }
});
