import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HOUR, MINUTE } from "../../../src/lib/clock.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { authenticator, turnOnFactor } from "../../harness/second-factor.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn } from "../../harness/sign-in.ts";

/** Second factors beyond their own user: the tenant's rule, lost factors, guesses, and the master key. */
let server: TestServer;
const NEXT_KEY = Buffer.alloc(32, 9).toString("base64");

before(async () => {
  server = await startServer({ env: { MUSTER_TRUSTED_PROXIES: "127.0.0.1", MUSTER_MASTER_KEY_NEXT: NEXT_KEY } });
});
after(() => server.stop());

type Browser = ReturnType<typeof newBrowser>;
type Caller = Pick<SignedIn, "call">;

async function withPassword({ email }: Pick<SignedIn, "email">, browser = newBrowser(server)): Promise<Browser> {
  const { status, text } = await browser.call("POST", "/session", { body: { email, password: PASSWORD } });
  assert.equal(status, 200, text);
  return browser;
}

const give = (browser: Browser, code: string) => browser.call("POST", "/session/factor", { body: { code } });
const factorOf = async (user: Caller) => (await user.call("GET", "/session")).json.factor;
const statusOf = async (user: Caller) => (await user.call("GET", "/session")).status;
const setRule = (user: Caller, adminsNeedFactor: boolean) =>
  user.call("PATCH", "/tenant", { body: { adminsNeedFactor } });

/** Creates an admin with a second factor in a new tenant whose admins must have one. */
async function withRule() {
  const tenant = await newTenant(server);
  const admin = await signIn(server, tenant);
  const app = await turnOnFactor(server, admin);
  const { status, json } = await setRule(admin, true);
  assert.deepEqual([status, json.adminsNeedFactor], [200, true]);
  return { tenant, admin, app };
}

const lastAct = async ({ caller }: TestTenant) =>
  (await server.app.access.listAdminActs(caller, { skip: 0, limit: 1, not: { act: "session." } })).items[0]!;

test("an admin without a second factor cannot require one of the others", async () => {
  const tenant = await newTenant(server);
  const admin = await signIn(server, tenant);
  const refused = await setRule(admin, true);
  assert.deepEqual([refused.status, refused.json.error], [409, "factor_missing"]);
  await turnOnFactor(server, admin);
  assert.equal((await setRule(admin, true)).status, 200);
  const { act, before, after } = await lastAct(tenant);
  assert.deepEqual(
    [act, (before as Rule).adminsNeedFactor, (after as Rule).adminsNeedFactor],
    ["tenant.update", false, true],
  );
  assert.equal((await setRule(admin, false)).json.adminsNeedFactor, false);
});

interface Rule {
  adminsNeedFactor: boolean;
}

test("once the rule is set, admins without a second factor are signed out, and must set one up first", async () => {
  const tenant = await newTenant(server);
  const [admin, other, operator] = [
    await signIn(server, tenant),
    await signIn(server, tenant),
    await signIn(server, tenant, "operator"),
  ];
  await turnOnFactor(server, admin);
  await setRule(admin, true);
  assert.deepEqual([await statusOf(admin), await statusOf(other), await statusOf(operator)], [200, 401, 200]);
  const browser = await withPassword(other);
  const { factor, operations } = (await browser.call("GET", "/session")).json;
  assert.equal(factor, "due");
  assert.ok(operations.includes("startFactor") && !operations.includes("listDevices"));
  const devices = await browser.call("GET", "/devices");
  assert.deepEqual([devices.status, devices.json.error, devices.json.detail], [403, "sign_in_incomplete", "factor"]);
  assert.equal((await browser.call("GET", "/factors")).json.mandatory, true);
  server.clock.advance(10 * MINUTE);
  assert.equal((await browser.call("POST", "/factors")).json.error, "reauthentication_required");
  assert.equal((await browser.call("POST", "/session/step-up", { body: { password: PASSWORD } })).status, 204);
  await turnOnFactor(server, browser);
  assert.deepEqual([await factorOf(browser), (await browser.call("GET", "/devices")).status], ["given", 200]);
});

test("under the rule, an invited admin and a promoted operator set a factor up first; an admin replaces but cannot remove it", async () => {
  const { tenant, admin, app } = await withRule();
  const invited = await signIn(server, tenant);
  const operator = await signIn(server, tenant, "operator");
  assert.deepEqual([await factorOf(invited), await factorOf(operator)], ["due", "none"]);
  await admin.call("PATCH", `/users/${operator.userId}`, { body: { role: "admin" } });
  assert.equal(await factorOf(await withPassword(operator)), "due");
  const refused = await admin.call("DELETE", `/factors/${app.factorId}`);
  assert.deepEqual([refused.status, refused.json.error], [409, "factor_mandatory"]);
  const { factorId } = await turnOnFactor(server, admin);
  await setRule(admin, false);
  assert.equal((await admin.call("DELETE", `/factors/${factorId}`)).status, 204);
  assert.equal(await factorOf(await withPassword(operator)), "none");
});

test("when the rule is set and its admin's factor is removed simultaneously, one of the two is refused", async () => {
  for (let round = 0; round < 3; round++) {
    const tenant = await newTenant(server);
    const admin = await signIn(server, tenant);
    const { factorId } = await turnOnFactor(server, admin);
    const answers = await Promise.all([setRule(admin, true), admin.call("DELETE", `/factors/${factorId}`)]);
    const codes = answers.map(({ json }) => json?.error ?? "done").join();
    assert.ok(["done,factor_mandatory", "factor_missing,done"].includes(codes), codes);
  }
});

test("an admin removes the factor of a user who lost it: the sessions end, the password alone signs in, keys stay", async () => {
  const tenant = await newTenant(server);
  const [admin, user] = [await signIn(server, tenant), await signIn(server, tenant)];
  await turnOnFactor(server, user);
  await server.app.access.createKey(tenant.caller, { user: user.email, name: "k", scopes: ["devices:read"] });
  const shown = async () => (await admin.call("GET", `/users/${user.userId}`)).json.secondFactor;
  assert.equal(await shown(), true);
  const half = await withPassword(user);
  assert.equal((await admin.call("DELETE", `/users/${user.userId}/factor`)).status, 204);
  assert.deepEqual([await statusOf(user), await statusOf(half), await shown()], [401, 401, false]);
  assert.equal(await factorOf(await withPassword(user)), "none");
  assert.equal((await admin.call("GET", `/users/${user.userId}/impact`)).json.keys.length, 1);
  const { act, actor, target, before, after } = await lastAct(tenant);
  assert.deepEqual([act, actor, target], ["user.reset-factor", `user:${admin.userId}`, user.userId]);
  const email = user.email;
  assert.deepEqual(
    [before, after],
    [
      { email, secondFactor: true },
      { email, secondFactor: false },
    ],
  );
  server.clock.advance(10 * MINUTE);
  const late = await admin.call("DELETE", `/users/${user.userId}/factor`);
  assert.equal(late.json.error, "reauthentication_required");
});

test("ten wrong codes block unknown browsers for a while, and wrong passwords do not count among them", async () => {
  const tenant = await newTenant(server);
  const user = await signIn(server, tenant);
  const app = await turnOnFactor(server, user);
  const [known, unknown] = [await withPassword(user), await withPassword(user)];
  assert.equal((await give(known, app.nextCode())).status, 200);
  for (let i = 0; i < 10; i++) {
    const from = { "x-forwarded-for": `198.51.100.${i}` };
    const body = { email: user.email, password: "wrong" };
    assert.equal((await newBrowser(server).call("POST", "/session", { body, headers: from })).status, 401);
  }
  for (let i = 0; i < 10; i++) assert.equal((await give(unknown, "000000")).status, 401);
  const { status, json } = await give(unknown, app.nextCode());
  assert.deepEqual([status, json.error], [429, "sign_in_throttled"]);
  assert.ok(json.until);
  await withPassword(user, known);
  assert.equal((await give(known, app.code())).status, 200, "others cannot lock the user out of a known browser");
  for (let i = 0; i < 10; i++) await withPassword(user, known).then(() => give(known, "000000"));
  await withPassword(user, known);
  assert.equal((await give(known, app.nextCode())).status, 429, "a known browser has ten of its own");
});

test("unknown browsers have thirty wrong codes per day; a password reset does not clear them, an admin does", async () => {
  const tenant = await newTenant(server);
  const user = await signIn(server, tenant);
  const app = await turnOnFactor(server, user);
  for (let window = 0; window < 3; window++) {
    const browser = await withPassword(user);
    for (let i = 0; i < 10; i++) assert.equal((await give(browser, "000000")).status, 401);
    server.clock.advance(10 * MINUTE);
  }
  const { url } = await server.app.identity.createResetLink(tenant.caller, user.userId);
  const body = { token: new URL(url).hash.slice(1), password: PASSWORD };
  assert.equal((await newBrowser(server).call("POST", "/password/reset", { body })).status, 204);
  const refused = await give(await withPassword(user), app.code());
  assert.deepEqual([refused.status, refused.json.error], [429, "sign_in_throttled"]);
  assert.ok(Date.parse(refused.json.until) > server.clock.now().getTime() + 23 * HOUR);
  await server.app.identity.unlockUser(tenant.caller, user.email);
  assert.equal((await give(await withPassword(user), app.code())).status, 200);
});

test("a browser known before the factor was set up has no separate budget of guesses", async () => {
  const tenant = await newTenant(server);
  const user = await signIn(server, tenant);
  const before = await withPassword(user);
  const app = await turnOnFactor(server, user);
  await withPassword(user, before);
  for (let i = 0; i < 10; i++) assert.equal((await give(before, "000000")).status, 401);
  assert.equal((await give(await withPassword(user), app.nextCode())).status, 429, "it counts as unknown");
});

test("simultaneous codes are counted too, and so are those of a step-up", async () => {
  const tenant = await newTenant(server);
  const user = await signIn(server, tenant);
  const app = await turnOnFactor(server, user);
  const browser = await withPassword(user);
  const errors = (await Promise.all(Array.from({ length: 15 }, () => give(browser, "000000")))).map(
    ({ json }) => json.error,
  );
  assert.equal(errors.filter((error) => error === "invalid_credentials").length, 10);
  assert.equal(errors.filter((error) => error === "sign_in_throttled").length, 5);
  const stepUp = (code: string) => user.call("POST", "/session/step-up", { body: { password: PASSWORD, code } });
  for (let i = 0; i < 10; i++) assert.equal((await stepUp("000000")).status, 401);
  assert.equal((await stepUp(app.nextCode())).status, 429);
});

test("guesses at a factor that is being set up are counted, too", async () => {
  const user = await signIn(server, await newTenant(server));
  const { id, secret } = (await user.call("POST", "/factors")).json;
  const confirm = (code: string) => user.call("POST", `/factors/${id}/confirm`, { body: { code } });
  for (let i = 0; i < 10; i++) assert.equal((await confirm("000000")).status, 401);
  const { status, json } = await confirm(authenticator(server.clock, secret).code());
  assert.deepEqual([status, json.error], [429, "sign_in_throttled"]);
});

test("a rotation of the master key re-encrypts the secrets: codes and set-ups continue to work", async () => {
  const tenant = await newTenant(server);
  const [user, beginner] = [await signIn(server, tenant), await signIn(server, tenant)];
  const app = await turnOnFactor(server, user);
  const begun = (await beginner.call("POST", "/factors")).json;
  const stored = () =>
    runSql<{ secret: string }>(server.app.database.db, "SELECT encode(secret, 'hex') AS secret FROM user_factors", []);
  const before = new Set((await stored()).map(({ secret }) => secret));
  await server.app.authorities.rotateMasterKey();
  assert.ok((await stored()).every(({ secret }) => !before.has(secret)));
  assert.equal((await give(await withPassword(user), app.nextCode())).status, 200);
  const code = authenticator(server.clock, begun.secret).code();
  assert.equal((await beginner.call("POST", `/factors/${begun.id}/confirm`, { body: { code } })).status, 200);
  assert.equal((await turnOnFactor(server, user)).recoveryCodes.length, 10);
});
