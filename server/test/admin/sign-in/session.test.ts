import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { adminRoutes } from "../../../src/api/admin-routes.ts";
import { HOUR, MINUTE } from "../../../src/lib/clock.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, type SignedIn, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let ada: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  ada = await signIn(server, tenant);
});
after(() => server.stop());

const credentials = ({ email, password }: SignedIn) => ({ email, password });

test("a sign-in answers with the user, the tenant and the permitted operations, and sets one cookie", async () => {
  const browser = newBrowser(server);
  const answer = await browser.call("POST", "/session", { body: credentials(ada) });
  assert.deepEqual(
    [answer.status, answer.json.user, answer.json.tenant.slug, answer.json.factor],
    [200, { id: ada.userId, email: ada.email, role: "admin", platform: false }, tenant.slug, "none"],
  );
  assert.ok(answer.json.operations.includes("getSession"));
  const again = await browser.call("GET", "/session");
  assert.deepEqual(again.json, answer.json);
  assert.equal(again.headers["set-cookie"], undefined);
});

test("the session cookie is restricted to this host: __Host-, Secure, HttpOnly, SameSite=Strict, every path, 256 bits", async () => {
  const { headers } = await newBrowser(server).call("POST", "/session", { body: credentials(ada) });
  const set = [headers["set-cookie"]].flat();
  const session = set.find((each) => each!.startsWith("__Host-muster="))!;
  assert.match(session, /^__Host-muster=[\w-]{43}; Path=\/; Max-Age=86400; Secure; HttpOnly; SameSite=Strict$/);
  for (const each of set) assert.doesNotMatch(each!, /domain/i);
});

test("a sign-in starts a new session under a new token, whatever cookie came with it", async () => {
  const browser = newBrowser(server);
  browser.cookies.set("__Host-muster", "A".repeat(43));
  await browser.call("POST", "/session", { body: credentials(ada) });
  const first = browser.cookies.get("__Host-muster")!;
  assert.notEqual(first, "A".repeat(43));
  await browser.call("POST", "/session", { body: credentials(ada) });
  assert.notEqual(browser.cookies.get("__Host-muster"), first);
});

test("an unknown address, a wrong password, a deactivated and a deleted user get the same answer", async () => {
  const [deactivated, deleted] = [await signIn(server, tenant), await signIn(server, tenant)];
  await server.app.access.deactivateUser(tenant.caller, deactivated.email);
  await server.app.access.deleteUser(tenant.caller, deleted.email);
  const answers = [
    { email: "unknown@example.com", password: "x" },
    { email: ada.email, password: `${ada.password}x` },
    credentials(deactivated),
    credentials(deleted),
  ].map(async (body) => {
    const { status, json, headers } = await newBrowser(server).call("POST", "/session", { body });
    return [status, json.error, json.message, headers["set-cookie"], headers["www-authenticate"]];
  });
  const [first, ...others] = await Promise.all(answers);
  assert.deepEqual(first!.slice(0, 2), [401, "invalid_credentials"]);
  for (const each of others) assert.deepEqual(each, first);
});

test("signing out ends the session and removes the cookie", async () => {
  const user = await signIn(server, tenant);
  const { cookie } = user;
  assert.equal((await user.call("DELETE", "/session")).status, 204);
  assert.equal(user.cookie.includes("__Host-muster="), false);
  const { status, json } = await newBrowser(server).call("GET", "/session", { headers: { cookie } });
  assert.deepEqual([status, json.error, json.middleware], [401, "session_required", "authentication"]);
});

test("another role, deactivation, deletion and a new password end the user's sessions immediately", async () => {
  const { access } = server.app;
  for (const change of [access.deactivateUser, access.deleteUser, access.replacePassword]) {
    const user = await signIn(server, tenant);
    assert.equal((await user.call("GET", "/session")).status, 200);
    await change(tenant.caller, user.email);
    assert.equal((await user.call("GET", "/session")).status, 401);
  }
});

test("a session ends after 8 hours without a user's request, and 24 hours after the sign-in", async () => {
  const [idle, background, busy] = [
    await signIn(server, tenant),
    await signIn(server, tenant),
    await signIn(server, tenant),
  ];
  const status = async (user: SignedIn, headers = {}) => (await user.call("GET", "/session", { headers })).status;
  for (let hour = 0; hour < 8; hour++) {
    assert.deepEqual([await status(busy), await status(background, { "x-muster-background": "1" })], [200, 200]);
    server.clock.advance(HOUR);
  }
  assert.deepEqual([await status(idle), await status(background), await status(busy)], [401, 401, 200]);
  for (let hour = 8; hour < 24; hour++) {
    assert.equal(await status(busy), 200);
    server.clock.advance(HOUR);
  }
  assert.equal(await status(busy), 401);
});

test("clean-up deletes expired sessions", async () => {
  await signIn(server, tenant);
  server.clock.advance(25 * HOUR);
  await server.app.identity.prune();
  const user = await signIn(server, tenant);
  await server.app.identity.prune();
  assert.equal((await user.call("GET", "/session")).status, 200);
});

const url = () => `${server.httpUrl}/api/admin/session`;

test("requests from another origin's page are refused, also without a session; others are served as usual", async () => {
  const { cookie, email, password } = await signIn(server, tenant);
  const host = new URL(server.httpUrl).host;
  const own = { origin: `https://${host}` };
  const matrix: [what: string, headers: Record<string, string>, get: number, post: number][] = [
    ["same origin", { "sec-fetch-site": "same-origin" }, 200, 200],
    ["cross site", { "sec-fetch-site": "cross-site" }, 403, 403],
    ["same site", { "sec-fetch-site": "same-site" }, 403, 403],
    ["no page", { "sec-fetch-site": "none" }, 403, 403],
    ["cross site with our origin", { "sec-fetch-site": "cross-site", ...own }, 403, 403],
    ["our origin", own, 200, 200],
    ["another origin", { origin: "https://evil.example" }, 403, 403],
    ["our host over http", { origin: `http://${host}` }, 403, 403],
    ["an opaque origin", { origin: "null" }, 403, 403],
    ["neither header", {}, 200, 403],
  ];
  for (const [what, headers, get, post] of matrix) {
    const withCookie = { ...headers, cookie };
    const read = await https(url(), { ca: server.ca, headers: withCookie });
    const write = await https(url(), { ca: server.ca, headers: withCookie, body: { email, password } });
    assert.deepEqual([read.status, write.status], [get, post], what);
    const { status, json } = await https(url(), { ca: server.ca, headers });
    assert.deepEqual(
      [status, json.error],
      get === 403 ? [403, "foreign_origin"] : [401, "session_required"],
      `${what}, without a session`,
    );
  }
});

test("no operation answers with a CORS header, and none accepts a form", async () => {
  for (const { method, path } of adminRoutes) {
    const address = server.httpUrl + path.replaceAll(/\{\w+\}/g, "x");
    const headers = { origin: "https://evil.example", "access-control-request-method": method };
    const preflight = await https(address, { ca: server.ca, method: "OPTIONS", headers });
    assert.deepEqual([preflight.status, preflight.headers["access-control-allow-origin"]], [405, undefined], path);
  }
  const form = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };
  const answer = await https(url(), { ca: server.ca, headers: form, body: "email=a&password=b" });
  assert.equal(answer.status, 415);
});

test("two cookies of the session's name count as none", async () => {
  const { cookie } = await signIn(server, tenant);
  const headers = { "sec-fetch-site": "same-origin", cookie: `__Host-muster=${"A".repeat(43)}; ${cookie}` };
  assert.equal((await https(url(), { ca: server.ca, headers })).status, 401);
});

test("a session admits 600 requests in any 60 seconds", async () => {
  const user = await signIn(server, tenant);
  for (let i = 0; i < 60; i++) await Promise.all(Array.from({ length: 10 }, () => user.call("GET", "/session")));
  const { status, json, headers } = await user.call("GET", "/session");
  assert.deepEqual([status, json.error, headers["retry-after"]], [429, "rate_limited", "60"]);
  server.clock.advance(MINUTE);
  assert.equal((await user.call("GET", "/session")).status, 200);
});
