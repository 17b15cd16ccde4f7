import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE } from "../../../src/lib/clock.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { addPasskey, type SoftAuthenticator, signInWith, softAuthenticator } from "../../harness/http/passkeys.ts";
import { turnOnFactor } from "../../harness/second-factor.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn } from "../../harness/sign-in.ts";

/** A user's own passkeys: adding, sign-in alone and as second factor, step-up, renaming, removal, and the rules. */
let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server.stop());

type Caller = Pick<SignedIn, "call">;

async function withPassword({ email }: SignedIn) {
  const browser = newBrowser(server);
  assert.equal((await browser.call("POST", "/session", { body: { email, password: PASSWORD } })).status, 200);
  return browser;
}

/** Presents a passkey within a session: as second factor, or to step up. */
async function present(user: Caller, device: SoftAuthenticator, to: "factor" | "step-up") {
  const begun = await user.call("POST", "/session/passkey/start");
  assert.equal(begun.status, 200, begun.text);
  return await user.call("POST", `/session/passkey/${to}`, { body: { passkey: device.get(begun.json) } });
}

const factorOf = async (user: Caller) => (await user.call("GET", "/session")).json.factor;
const passkeysOf = async (user: Caller) => (await user.call("GET", "/factors")).json.passkeys;

async function actsOf({ userId }: SignedIn, part: string) {
  const { items } = await server.app.access.listAdminActs(tenant.caller, { skip: 0, limit: 1_000 });
  return items.filter(({ target, act }) => target === userId && act.includes(part));
}

test("the first passkey ends other sessions, renews this one, gives recovery codes, and is recorded", async () => {
  const user = await signIn(server, tenant);
  const [other, { cookie }] = [await withPassword(user), user];
  const { recoveryCodes } = await addPasskey(server, user, " Laptop ");
  assert.equal(new Set(recoveryCodes).size, 10);
  assert.notEqual(user.cookie, cookie);
  assert.deepEqual([await factorOf(user), (await other.call("GET", "/session")).status], ["given", 401]);
  const [passkey] = await passkeysOf(user);
  assert.deepEqual([passkey.name, passkey.lastUsedAt], ["Laptop", null]);
  const [entry] = await actsOf(user, "passkey");
  assert.deepEqual([entry!.act, entry!.after], ["user.add-passkey", { email: user.email, passkey: "Laptop" }]);
  const second = await addPasskey(server, user, "Phone");
  assert.deepEqual(second.recoveryCodes, [], "the codes stay");
});

test("a passkey alone signs in with both factors given, and the sign-in is recorded with its name", async () => {
  const user = await signIn(server, tenant);
  const { device } = await addPasskey(server, user);
  const browser = newBrowser(server);
  const { status, json, text } = await signInWith(browser, device);
  assert.equal(status, 200, text);
  assert.deepEqual([json.user.email, json.factor, json.factorKinds], [user.email, "given", ["passkey"]]);
  assert.ok(browser.cookies.has("__Host-muster-known"));
  assert.equal((await browser.call("POST", "/passkeys/start")).status, 200, "it counts as a step-up");
  const [begun] = await actsOf(user, "session.begin");
  assert.equal((begun!.after as { passkey?: string }).passkey, "Laptop");
  assert.equal((await passkeysOf(user))[0].lastUsedAt, server.clock.now().toISOString());
  assert.equal((await user.call("GET", "/sessions")).json.items.length, 2);
});

test("after the password, a user with a passkey gives it, a code, or a recovery code", async () => {
  const user = await signIn(server, tenant);
  const { device, recoveryCodes } = await addPasskey(server, user);
  const half = await withPassword(user);
  const { factor, factorKinds } = (await half.call("GET", "/session")).json;
  assert.deepEqual([factor, factorKinds], ["required", ["passkey"]]);
  assert.equal((await half.call("GET", "/devices")).json.error, "sign_in_incomplete");
  assert.equal((await half.call("POST", "/session/factor", { body: { code: "000000" } })).status, 401);
  assert.equal((await present(half, device, "factor")).status, 200);
  assert.equal((await half.call("GET", "/devices")).status, 200);
  const again = await withPassword(user);
  assert.equal((await again.call("POST", "/session/factor", { body: { code: recoveryCodes[0] } })).status, 200);
  const app = await turnOnFactor(server, user);
  const withApp = await withPassword(user);
  assert.deepEqual((await withApp.call("GET", "/session")).json.factorKinds, ["app", "passkey"]);
  assert.equal((await withApp.call("POST", "/session/factor", { body: { code: app.nextCode() } })).status, 200);
  assert.equal((await present(await withPassword(user), device, "factor")).status, 200);
});

test("sign-ins with a passkey are counted, alone and as second factor", async () => {
  const own = await startServer();
  try {
    const user = await signIn(own, await newTenant(own));
    const { device } = await addPasskey(own, user);
    await signInWith(newBrowser(own), device);
    const half = newBrowser(own);
    await half.call("POST", "/session", { body: { email: user.email, password: PASSWORD } });
    await present(half, device, "factor");
    const text = await (await fetch(own.app.api.metricsUrl)).text();
    for (const method of ["passkey", "factor"])
      assert.match(text, new RegExp(`^muster_sign_ins_total\\{method="${method}",result="ok"\\} 1$`, "m"));
  } finally {
    await own.stop();
  }
});

test("a passkey steps up without the password, and the step-up is recorded", async () => {
  const user = await signIn(server, tenant);
  const { device, passkeyId } = await addPasskey(server, user);
  server.clock.advance(10 * MINUTE);
  for (const [method, path] of [
    ["POST", "/passkeys/start"],
    ["DELETE", `/passkeys/${passkeyId}`],
  ] as const)
    assert.equal((await user.call(method, path)).json.error, "reauthentication_required", path);
  const { cookie } = user;
  assert.equal((await present(user, device, "step-up")).status, 204);
  assert.notEqual(user.cookie, cookie);
  assert.equal((await user.call("POST", "/passkeys/start")).status, 200);
  assert.equal(((await actsOf(user, "step-up"))[0]!.after as { passkey?: string }).passkey, "Laptop");
});

test("removing a passkey ends the other sessions it began; the last one takes the recovery codes along", async () => {
  const user = await signIn(server, tenant);
  const [laptop, phone] = [await addPasskey(server, user), await addPasskey(server, user, "Phone")];
  const [byLaptop, byPhone] = [newBrowser(server), newBrowser(server)];
  await signInWith(byLaptop, laptop.device);
  await signInWith(byPhone, phone.device);
  assert.equal((await user.call("DELETE", `/passkeys/${laptop.passkeyId}`)).status, 204);
  const statuses = await Promise.all([user, byLaptop, byPhone].map((each) => each.call("GET", "/session")));
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [200, 401, 200],
  );
  assert.equal((await signInWith(newBrowser(server), laptop.device)).status, 401);
  assert.equal((await user.call("GET", "/factors")).json.recoveryCodesLeft, 10);
  assert.equal((await user.call("DELETE", `/passkeys/${phone.passkeyId}`)).status, 204);
  assert.deepEqual([await factorOf(user), (await user.call("GET", "/factors")).json.recoveryCodesLeft], ["none", 0]);
  assert.equal(await factorOf(await withPassword(user)), "none");
  assert.equal((await user.call("DELETE", `/passkeys/${phone.passkeyId}`)).status, 404);
  assert.equal((await actsOf(user, "remove-passkey")).length, 2);
});

test("a passkey gets another name, in one line", async () => {
  const user = await signIn(server, tenant);
  const { passkeyId } = await addPasskey(server, user);
  const rename = (name: string) => user.call("PATCH", `/passkeys/${passkeyId}`, { body: { name } });
  assert.equal((await rename("Blue key")).json.name, "Blue key");
  assert.equal((await rename("")).status, 400);
  const stranger = await signIn(server, tenant);
  const path = `/passkeys/${passkeyId}`;
  assert.equal((await stranger.call("PATCH", path, { body: { name: "Mine" } })).status, 404);
  assert.equal((await stranger.call("DELETE", path)).status, 404);
  assert.equal((await actsOf(user, "rename-passkey")).length, 1);
});

test("a user has at most ten passkeys, and one authenticator is added once", async () => {
  const user = await signIn(server, tenant);
  for (let i = 0; i < 9; i++) await addPasskey(server, user, `Key ${i}`);
  const begun = await user.call("POST", "/passkeys/start");
  assert.equal(begun.json.excludeCredentials.length, 9);
  const { device } = await addPasskey(server, user, "Key 9");
  assert.equal((await user.call("POST", "/passkeys/start")).status, 400);
  const other = await signIn(server, tenant);
  const options = (await other.call("POST", "/passkeys/start")).json;
  const taken = await other.call("POST", "/passkeys", { body: { name: "Stolen", passkey: device.create(options) } });
  assert.deepEqual([taken.status, taken.json.error], [409, "already_exists"]);
});

test("a passkey meets the rule for admins; the last factor cannot be removed, not even two at once", async () => {
  const own = await newTenant(server);
  const [admin, other] = [await signIn(server, own), await signIn(server, own)];
  const first = await addPasskey(server, admin);
  const rule = (adminsNeedFactor: boolean) => admin.call("PATCH", "/tenant", { body: { adminsNeedFactor } });
  assert.equal((await rule(true)).status, 200);
  const due = await withPassword(other);
  assert.equal(await factorOf(due), "due");
  await addPasskey(server, due);
  assert.deepEqual([await factorOf(due), (await due.call("GET", "/devices")).status], ["given", 200]);
  const refused = await admin.call("DELETE", `/passkeys/${first.passkeyId}`);
  assert.deepEqual([refused.status, refused.json.error], [409, "factor_mandatory"]);
  const { factorId } = await turnOnFactor(server, admin);
  const answers = await Promise.all([
    admin.call("DELETE", `/passkeys/${first.passkeyId}`),
    admin.call("DELETE", `/factors/${factorId}`),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
});

test("an admin's reset removes passkeys and recovery codes and ends the sessions", async () => {
  const [admin, user] = [await signIn(server, tenant), await signIn(server, tenant)];
  const { device } = await addPasskey(server, user);
  assert.equal((await admin.call("GET", `/users/${user.userId}`)).json.secondFactor, true);
  assert.equal((await admin.call("DELETE", `/users/${user.userId}/factor`)).status, 204);
  assert.equal((await user.call("GET", "/session")).status, 401);
  assert.equal((await signInWith(newBrowser(server), device)).status, 401);
  assert.equal(await factorOf(await withPassword(user)), "none");
});

test("a deactivated or deleted user's passkey is refused, and the failure says why", async () => {
  const user = await signIn(server, tenant, "viewer");
  const { device } = await addPasskey(server, user);
  await server.app.access.changeUser(tenant.caller, user.userId, { status: "deactivated" });
  assert.equal((await signInWith(newBrowser(server), device)).status, 401);
  await server.app.identity.recordFailedSignIns();
  assert.equal(((await actsOf(user, "session.refuse"))[0]!.after as { cause: string }).cause, "deactivated");
  await server.app.access.changeUser(tenant.caller, user.userId, { status: "active" });
  assert.equal((await signInWith(newBrowser(server), device)).status, 200);
  await server.app.access.deleteUser(tenant.caller, user.email);
  assert.equal((await signInWith(newBrowser(server), device)).status, 401);
});

test("a passkey made with a self-signed attestation is accepted where it is valid", async () => {
  const user = await signIn(server, tenant);
  const begun = await user.call("POST", "/passkeys/start");
  const device = softAuthenticator(server.httpUrl);
  const selfSigned = device.create(begun.json, { selfSigned: true });
  const added = await user.call("POST", "/passkeys", { body: { name: "Self", passkey: selfSigned } });
  assert.equal(added.status, 201, added.text);
});
