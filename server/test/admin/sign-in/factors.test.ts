import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { adminRoutes } from "../../../src/api/admin-routes.ts";
import { MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { rowsNaming } from "../../harness/database/rows.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { authenticator, turnOnFactor } from "../../harness/second-factor.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn } from "../../harness/sign-in.ts";

/** A user's own second factor: set-up, sign-in, step-up, recovery codes, removal. */
let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server.stop());

type Browser = ReturnType<typeof newBrowser>;

/** Opens a new browser in which the user has entered the password. */
async function withPassword({ email }: Pick<SignedIn, "email">): Promise<Browser> {
  const browser = newBrowser(server);
  const { status } = await browser.call("POST", "/session", { body: { email, password: PASSWORD } });
  assert.equal(status, 200);
  return browser;
}

const give = (browser: Browser, code: string) => browser.call("POST", "/session/factor", { body: { code } });
const stepUp = (user: SignedIn, code?: string) =>
  user.call("POST", "/session/step-up", {
    body: code === undefined ? { password: PASSWORD } : { password: PASSWORD, code },
  });
const factorOf = async (user: Pick<SignedIn, "call">) => (await user.call("GET", "/session")).json.factor;

/** Returns the audit entries of a user except those of sign-ins, newest first. */
async function actsOf({ userId }: SignedIn) {
  const query = { skip: 0, limit: 10_000, not: { act: "session." } };
  const { items } = await server.app.access.listAdminActs(tenant.caller, query);
  return items.filter(({ target }) => target === userId);
}

test("a second factor that is being set up changes nothing until one of its codes is entered", async () => {
  const user = await signIn(server, tenant);
  const { json } = await user.call("POST", "/factors");
  assert.match(json.secret, /^[A-Z2-7]{32}$/);
  assert.ok(json.uri.startsWith("otpauth://totp/Muster%20at%20") && json.uri.includes(`secret=${json.secret}&`));
  assert.deepEqual((await user.call("GET", "/factors")).json, {
    items: [],
    passkeys: [],
    recoveryCodesLeft: 0,
    mandatory: false,
  });
  assert.equal(await factorOf(await withPassword(user)), "none");
  const confirm = (code: string) => user.call("POST", `/factors/${json.id}/confirm`, { body: { code } });
  const wrong = await confirm("000000");
  assert.deepEqual([wrong.status, wrong.json.error, wrong.json.detail], [401, "invalid_credentials", "code"]);
  server.clock.advance(30 * MINUTE);
  const late = await confirm(authenticator(server.clock, json.secret).code());
  assert.deepEqual([late.status, late.json.error], [404, "not_found"]);
  await server.app.identity.prune();
  assert.deepEqual(await rowsNaming(server.app.database, [json.id]), []);
});

test("enabling it ends the other sessions, gives this one a new token and ten recovery codes, and stores no secret", async () => {
  const user = await signIn(server, tenant);
  const [other, { cookie }] = [await withPassword(user), user];
  const { secret, key, recoveryCodes, factorId } = await turnOnFactor(server, user);
  assert.equal(new Set(recoveryCodes).size, 10);
  assert.notEqual(user.cookie, cookie);
  assert.equal((await newBrowser(server).call("GET", "/session", { headers: { cookie } })).status, 401);
  assert.deepEqual([await factorOf(user), (await other.call("GET", "/session")).status], ["given", 401]);
  const { items, recoveryCodesLeft } = (await user.call("GET", "/factors")).json;
  assert.deepEqual([items.length, items[0].id, recoveryCodesLeft], [1, factorId, 10]);
  const [entry] = await actsOf(user);
  assert.deepEqual(
    [entry!.act, entry!.actor, entry!.after],
    ["user.add-factor", `user:${user.userId}`, { email: user.email }],
  );
  assert.deepEqual(await rowsNaming(server.app.database, [secret, key.toString("hex"), ...recoveryCodes]), []);
  for (const line of server.logs) for (const text of [secret, ...recoveryCodes]) assert.ok(!line.includes(text));
});

test("after the password, a session admits only the code, and is then replaced", async () => {
  const user = await signIn(server, tenant);
  const app = await turnOnFactor(server, user);
  const browser = await withPassword(user);
  assert.equal(browser.cookies.has("__Host-muster-known"), false, "the browser is not known yet");
  const half = (await browser.call("GET", "/session")).json;
  assert.deepEqual(
    [half.factor, half.operations.sort()],
    ["required", OPEN_AND("getSession", "giveFactor", "givePasskey", "signOut", "startPasskeyCheck")],
  );
  const devices = await browser.call("GET", "/devices");
  assert.deepEqual([devices.status, devices.json.error, devices.json.detail], [403, "sign_in_incomplete", "code"]);
  assert.equal((await user.call("GET", "/sessions")).json.items.length, 1, "it is no session of the user yet");
  const before = browser.cookie();
  const { status, json } = await give(browser, app.nextCode());
  assert.deepEqual([status, json.factor, json.user.email], [200, "given", user.email]);
  assert.equal((await newBrowser(server).call("GET", "/session", { headers: { cookie: before } })).status, 401);
  assert.equal((await browser.call("GET", "/devices")).status, 200);
  assert.ok(browser.cookies.has("__Host-muster-known"));
  const again = await give(browser, app.nextCode());
  assert.deepEqual([again.status, again.json.error], [400, "invalid_request"]);
});

/** Returns the operations that need no session together with these, sorted. */
function OPEN_AND(...operations: string[]): string[] {
  const open = adminRoutes.filter(({ by }) => by === "anyone").map(({ operationId }) => operationId);
  return [...open, ...operations].sort();
}

test("a sign-in without its code ends after ten minutes or by signing out", async () => {
  const user = await signIn(server, tenant);
  const app = await turnOnFactor(server, user);
  const [late, gone] = [await withPassword(user), await withPassword(user)];
  assert.equal((await gone.call("DELETE", "/session")).status, 204);
  server.clock.advance(10 * MINUTE);
  for (const browser of [late, gone]) assert.equal((await give(browser, app.code())).json.error, "session_required");
});

test("unfinished sign-ins, however many, end no session of the user", async () => {
  const user = await signIn(server, tenant);
  await turnOnFactor(server, user);
  for (let i = 0; i < 21; i++) await withPassword(user);
  assert.equal(await factorOf(user), "given");
});

test("a code is accepted once, within one step before or after, and no earlier code after it", async () => {
  const user = await signIn(server, tenant);
  const app = await turnOnFactor(server, user);
  const [first, second, third] = [app.nextCode(), app.nextCode(), app.nextCode()];
  server.clock.step(-30 * SECOND);
  const browsers = await Promise.all(Array.from({ length: 5 }, () => withPassword(user)));
  const answer = async (at: number, code: string) => {
    const { status, json } = await give(browsers[at]!, code);
    return status === 200 ? "accepted" : json.message;
  };
  const used = "This code was used already: wait for the next one.";
  assert.equal(await answer(0, second), "accepted");
  assert.equal(await answer(1, second), used);
  assert.equal(await answer(1, first), used, "an earlier step");
  assert.equal(await answer(1, `${third.slice(0, 3)} ${third.slice(3)}`), "accepted", "the clock of the app is ahead");
  server.clock.advance(90 * SECOND);
  assert.equal(await answer(2, third), "The code is wrong.", "two steps ago");
});

test("a recovery code signs in once, in any spelling, is recorded, and new codes replace the others", async () => {
  const user = await signIn(server, tenant);
  const { recoveryCodes } = await turnOnFactor(server, user);
  const [used, ...left] = recoveryCodes;
  const browser = await withPassword(user);
  assert.equal((await give(browser, ` ${used!.toLowerCase().replaceAll("-", " ")} `)).status, 200);
  const again = await give(await withPassword(user), used!);
  assert.deepEqual([again.status, again.json.message], [401, "The code is wrong."]);
  assert.equal((await user.call("GET", "/factors")).json.recoveryCodesLeft, 9);
  const [entry] = await actsOf(user);
  assert.deepEqual([entry!.act, entry!.after], ["user.use-recovery-code", { email: user.email, recoveryCodesLeft: 9 }]);
  const renewed = await user.call("POST", "/factors/recovery-codes");
  assert.deepEqual([renewed.status, renewed.json.recoveryCodes.length], [201, 10]);
  assert.equal((await give(await withPassword(user), left[0]!)).status, 401);
  assert.equal((await give(await withPassword(user), renewed.json.recoveryCodes[0])).status, 200);
  assert.ok((await actsOf(user)).some(({ act }) => act === "user.renew-recovery-codes"));
});

test("of simultaneous sign-ins with one code, or one recovery code, one completes", async () => {
  const user = await signIn(server, tenant);
  const app = await turnOnFactor(server, user);
  for (const code of [app.nextCode(), app.recoveryCodes[0]!]) {
    const browsers = await Promise.all(Array.from({ length: 4 }, () => withPassword(user)));
    const answers = await Promise.all(browsers.map((browser) => give(browser, code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  }
});

test("two simultaneous codes in one browser start one session", async () => {
  const user = await signIn(server, tenant);
  const { recoveryCodes } = await turnOnFactor(server, user);
  const browser = await withPassword(user);
  const answers = await Promise.all(recoveryCodes.slice(0, 2).map((code) => give(browser, code)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
});

test("a step-up takes password and code; without the code it says what is missing", async () => {
  const user = await signIn(server, tenant);
  const app = await turnOnFactor(server, user);
  server.clock.advance(10 * MINUTE);
  assert.equal((await user.call("POST", "/factors")).json.error, "reauthentication_required");
  const without = await stepUp(user);
  assert.deepEqual([without.status, without.json.error, without.json.detail], [403, "factor_required", "code"]);
  const wrong = await stepUp(user, "000000");
  assert.deepEqual([wrong.status, wrong.json.error, wrong.json.detail], [401, "invalid_credentials", "code"]);
  const { cookie } = user;
  assert.equal((await stepUp(user, app.code())).status, 204);
  assert.notEqual(user.cookie, cookie);
  assert.equal((await user.call("POST", "/factors")).status, 201);
  assert.equal((await stepUp(user, app.code())).json.error, "invalid_credentials", "the code was used");
  assert.equal((await stepUp(user, app.recoveryCodes[0])).status, 204);
});

test("another authenticator replaces the old one with its recovery codes", async () => {
  const user = await signIn(server, tenant);
  const former = await turnOnFactor(server, user);
  const present = await turnOnFactor(server, user);
  const browser = await withPassword(user);
  for (const code of [former.nextCode(), former.recoveryCodes[0]!])
    assert.equal((await give(browser, code)).json.error, "invalid_credentials");
  assert.equal((await give(browser, present.code())).status, 200);
  assert.equal((await actsOf(user)).filter(({ act }) => act === "user.replace-factor").length, 1);
  const gone = await user.call("DELETE", `/factors/${former.factorId}`);
  assert.deepEqual([gone.status, gone.json.error], [404, "not_found"]);
});

test("of two simultaneous set-ups the later one counts, and confirming it twice enables it once", async () => {
  const user = await signIn(server, tenant);
  const [one, two] = [(await user.call("POST", "/factors")).json, (await user.call("POST", "/factors")).json];
  const confirm = ({ id, secret }: { id: string; secret: string }) =>
    user.call("POST", `/factors/${id}/confirm`, { body: { code: authenticator(server.clock, secret).code() } });
  assert.equal((await confirm(one)).status, 404);
  const answers = await Promise.all([confirm(two), confirm(two)]);
  assert.deepEqual(answers.map(({ status }) => (status === 200 ? "on" : "refused")).sort(), ["on", "refused"]);
});

test("once it is disabled, the password alone signs in, and pending sign-ins end", async () => {
  const user = await signIn(server, tenant);
  const { factorId } = await turnOnFactor(server, user);
  const waiting = await withPassword(user);
  server.clock.advance(10 * MINUTE);
  assert.equal((await user.call("DELETE", `/factors/${factorId}`)).json.error, "reauthentication_required");
  const again = await signIn(server, tenant);
  assert.equal((await again.call("DELETE", `/factors/${factorId}`)).status, 404, "of another user");
  const { recoveryCodes } = await turnOnFactor(server, again);
  const own = (await again.call("GET", "/factors")).json.items[0].id;
  const half = await withPassword(again);
  assert.equal((await again.call("DELETE", `/factors/${own}`)).status, 204);
  assert.deepEqual([await factorOf(again), (await half.call("GET", "/session")).status], ["none", 401]);
  assert.equal((await waiting.call("GET", "/session")).status, 401, "ten minutes are over");
  assert.equal(await factorOf(await withPassword(again)), "none");
  assert.equal((await give(await withPassword(again), recoveryCodes[0]!)).json.error, "invalid_request");
  assert.ok((await actsOf(again)).some(({ act }) => act === "user.remove-factor"));
});

test("a new password keeps the factor: the browser that changed it continues, and a reset link does not bypass the factor", async () => {
  const user = await signIn(server, tenant);
  const app = await turnOnFactor(server, user);
  const body = { currentPassword: PASSWORD, newPassword: "seven purple bicycles sing" };
  assert.equal((await user.call("PUT", "/password", { body })).status, 204);
  assert.equal(await factorOf(user), "given");
  const { url } = await server.app.identity.createResetLink(tenant.caller, user.userId);
  const token = new URL(url).hash.slice(1);
  const reset = await newBrowser(server).call("POST", "/password/reset", { body: { token, password: PASSWORD } });
  assert.equal(reset.status, 204);
  const browser = await withPassword(user);
  assert.equal(await factorOf(browser), "required");
  assert.equal((await give(browser, app.nextCode())).status, 200);
});

test("a new password is no step-up, because it was set without a code", async () => {
  const user = await signIn(server, tenant);
  const { factorId, nextCode } = await turnOnFactor(server, user);
  server.clock.advance(10 * MINUTE);
  const body = { currentPassword: PASSWORD, newPassword: "seven purple bicycles sing" };
  assert.equal((await user.call("PUT", "/password", { body })).status, 204);
  for (const [method, path] of [
    ["DELETE", `/factors/${factorId}`],
    ["POST", "/factors"],
  ] as const)
    assert.equal((await user.call(method, path)).json.error, "reauthentication_required");
  const stepUp = { password: body.newPassword, code: nextCode() };
  assert.equal((await user.call("POST", "/session/step-up", { body: stepUp })).status, 204);
  assert.equal((await user.call("DELETE", `/factors/${factorId}`)).status, 204);
});

test("deleting a user deletes the second factor", async () => {
  const user = await signIn(server, tenant);
  const { factorId } = await turnOnFactor(server, user);
  await server.app.access.deleteUser(tenant.caller, user.email);
  const rows = await rowsNaming(server.app.database, [factorId]);
  assert.deepEqual(
    rows.filter((row) => !/^admin_audit/.test(row)),
    [],
  );
});
