import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { MINUTE } from "../../../src/lib/clock.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer({ env: { MUSTER_TRUSTED_PROXIES: "127.0.0.1" } });
  tenant = await newTenant(server);
});
after(() => server.stop());
beforeEach(() => server.clock.advance(10 * MINUTE));

type Browser = ReturnType<typeof newBrowser>;

function attempt(browser: Browser, email: string, password: string, address: string) {
  return browser.call("POST", "/session", { body: { email, password }, headers: { "x-forwarded-for": address } });
}

/** Sends wrong passwords from new browsers, each at a different address. */
async function guess(email: string, times: number, block = 1) {
  const answers = [];
  for (let i = 0; i < times; i++)
    answers.push(await attempt(newBrowser(server), email, "wrong", `198.51.${block}.${i}`));
  return answers;
}

test("after ten failures in ten minutes an account is refused at unknown browsers, and the answer says until when", async () => {
  const { email } = await signIn(server, tenant, "viewer");
  const start = server.clock.now().getTime();
  for (const { json } of await guess(email, 10)) assert.equal(json.error, "invalid_credentials");
  server.clock.advance(4 * MINUTE);
  const { status, json, headers } = await attempt(newBrowser(server), email.toUpperCase(), PASSWORD, "203.0.113.1");
  assert.deepEqual(
    [status, json.error, json.middleware, json.until, headers["retry-after"]],
    [429, "sign_in_throttled", "rate-limit", new Date(start + 10 * MINUTE).toISOString(), "360"],
  );
  server.clock.advance(6 * MINUTE);
  assert.equal((await attempt(newBrowser(server), email, PASSWORD, "203.0.113.1")).status, 200);
});

test("another spelling that the database treats as the same address has no separate budget", async () => {
  const { email } = await signIn(server, tenant, "viewer");
  await guess(email, 10);
  for (const spelling of [email.toUpperCase(), email.replace("i", "\u0130"), `${email}\u00a0`])
    assert.notEqual((await attempt(newBrowser(server), spelling, PASSWORD, "203.0.113.1")).status, 200, spelling);
});

test("an address without a user is throttled alike", async () => {
  await guess("nowhere@example.com", 10);
  assert.equal((await attempt(newBrowser(server), "nowhere@example.com", "x", "203.0.113.1")).status, 429);
});

test("others cannot lock a user out of a browser in which the user signed in before", async () => {
  const user: SignedIn = await signIn(server, tenant, "viewer");
  const browser = newBrowser(server);
  await attempt(browser, user.email, PASSWORD, "203.0.113.1");
  await guess(user.email, 15);
  assert.equal((await attempt(browser, user.email, PASSWORD, "203.0.113.1")).status, 200);
  const another = await signIn(server, tenant, "viewer");
  await guess(another.email, 10, 2);
  const borrowed = await attempt(browser, another.email, PASSWORD, "203.0.113.1");
  assert.equal(borrowed.status, 429, "the browser is known of one user alone");
});

test("a known browser has its own ten failures, which do not count elsewhere", async () => {
  const { email } = await signIn(server, tenant, "viewer");
  const browser = newBrowser(server);
  await attempt(browser, email, PASSWORD, "203.0.113.1");
  const known = { ...browser, cookies: new Map(browser.cookies) };
  for (let i = 0; i < 10; i++) assert.equal((await attempt(known, email, "wrong", "203.0.113.1")).status, 401);
  assert.equal((await attempt(known, email, PASSWORD, "203.0.113.1")).status, 429);
  assert.equal((await attempt(newBrowser(server), email, PASSWORD, "203.0.113.2")).status, 200);
});

test("an address may have thirty failures over all accounts; its known browsers are exempt", async () => {
  const { email } = await signIn(server, tenant, "viewer");
  const browser = newBrowser(server);
  await attempt(browser, email, PASSWORD, "192.0.2.9");
  const tries = Array.from({ length: 30 }, (_, i) =>
    attempt(newBrowser(server), `unknown-${i}@example.com`, "x", "192.0.2.9"),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  // More than 22 simultaneous requests wait for a hashing slot and are not counted.
  const more = statuses.filter((status) => status === 429).length;
  for (let i = 0; i < more; i++) await attempt(newBrowser(server), `more-${i}@example.com`, "x", "192.0.2.9");
  const refused = await attempt(newBrowser(server), email, PASSWORD, "192.0.2.9");
  assert.deepEqual([refused.status, refused.json.error], [429, "sign_in_throttled"]);
  assert.equal((await attempt(browser, email, PASSWORD, "192.0.2.9")).status, 200);
});

test("simultaneous failures are counted too: at most ten passwords are checked", async () => {
  const { email } = await signIn(server, tenant, "viewer");
  const tries = Array.from({ length: 20 }, (_, i) => attempt(newBrowser(server), email, "wrong", `198.51.3.${i}`));
  const codes = (await Promise.all(tries)).map(({ json }) => json.error);
  assert.equal(codes.filter((code) => code === "invalid_credentials").length, 10);
  assert.equal(codes.filter((code) => code === "sign_in_throttled").length, 10);
});

test("successes do not count, and the shell clears failures", async () => {
  const { email } = await signIn(server, tenant, "viewer");
  await guess(email, 9);
  for (let i = 0; i < 3; i++)
    assert.equal((await attempt(newBrowser(server), email, PASSWORD, "203.0.113.1")).status, 200);
  await guess(email, 1, 4);
  assert.equal((await attempt(newBrowser(server), email, PASSWORD, "203.0.113.1")).status, 429);
  await server.app.identity.unlockUser(tenant.caller, email);
  assert.equal((await attempt(newBrowser(server), email, PASSWORD, "203.0.113.1")).status, 200);
});

test("at most 22 passwords are hashed or wait; further sign-ins are refused for a second and not counted", async () => {
  const { email } = await signIn(server, tenant, "viewer");
  const tries = Array.from({ length: 60 }, () => attempt(newBrowser(server), email, PASSWORD, "203.0.113.1"));
  const answers = await Promise.all(tries);
  for (const { status, json } of answers)
    assert.ok(status === 200 || json.error === "rate_limited" || json.error === "sign_in_throttled");
  server.clock.advance(10 * MINUTE);
  assert.equal((await attempt(newBrowser(server), email, PASSWORD, "203.0.113.1")).status, 200);
});
