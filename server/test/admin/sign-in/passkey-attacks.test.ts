import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, test } from "node:test";
import { MINUTE } from "../../../src/lib/clock.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import {
  addPasskey,
  cborBytes,
  cborMap,
  cborText,
  type Deviation,
  signInWith,
  softAuthenticator,
} from "../../harness/http/passkeys.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn } from "../../harness/sign-in.ts";

/** Passkeys attacked: every deviation is refused, whoever holds whichever challenge. */
let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer({ env: { MUSTER_TRUSTED_PROXIES: "127.0.0.1" } });
  tenant = await newTenant(server);
});
after(() => server.stop());

const { privateKey: otherKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
/** Sends requests as if from other addresses, so that one test does not throttle the next. */
let addresses = 0;
function elsewhere() {
  const browser = newBrowser(server);
  const address = `198.51.100.${++addresses}`;
  const call: typeof browser.call = (method, path, options = {}) =>
    browser.call(method, path, { ...options, headers: { "x-forwarded-for": address, ...options.headers } });
  return { ...browser, call };
}

async function causesOf({ userId }: SignedIn): Promise<string[]> {
  await server.app.identity.recordFailedSignIns();
  const { items } = await server.app.access.listAdminActs(tenant.caller, { skip: 0, limit: 1_000 });
  const refused = items.filter(({ target, act }) => target === userId && act === "session.refuse");
  return refused.map(({ after }) => (after as { cause: string }).cause);
}

const FOREIGN = "https://muster.example.net";
const DEVIATIONS: Record<string, Deviation> = {
  "another origin": { origin: FOREIGN },
  "another port of the host": { origin: "https://localhost:1" },
  "another relying party": { rpId: "example.net" },
  "another challenge": { challenge: "4uQ0mCw8S1yJYb2kq0Yd7mZ0m3pR1sTfVxG9hLkNoPa" },
  "the type of a new passkey": { type: "webauthn.create" },
  "a frame of another site": { crossOrigin: true },
  "no verified user": { verified: false },
  "no present user": { present: false },
  "another key": { key: otherKey },
  "no user": { userHandle: null },
  "another user": { userHandle: "AZnBwkoAfFWx0j5PWmt8jQ" },
};

test("a signature that deviates in anything begins no session, and is recorded", async () => {
  const user = await signIn(server, tenant);
  const { device } = await addPasskey(server, user);
  const answers = [];
  for (const [what, deviation] of Object.entries(DEVIATIONS)) {
    const { status, json } = await signInWith(elsewhere(), device, deviation);
    answers.push(`${what}: ${status} ${json.error} ${json.detail}`);
    await server.app.identity.unlockUser(tenant.caller, user.email);
  }
  const refused = Object.keys(DEVIATIONS).map((what) => `${what}: 401 invalid_credentials passkey`);
  assert.deepEqual(answers, refused);
  assert.deepEqual([...new Set(await causesOf(user))], ["passkey"]);
  assert.equal((await signInWith(elsewhere(), device)).status, 200);
});

test("a challenge is for one browser, one purpose, one session, five minutes, and one use", async () => {
  const user = await signIn(server, tenant);
  const { device } = await addPasskey(server, user, "Laptop", softAuthenticator(server.httpUrl, { counts: false }));
  const browser = elsewhere();
  const begun = (await browser.call("POST", "/sign-in/passkey/start")).json;
  const body = { passkey: device.get(begun) };
  const complete = (by: Pick<SignedIn, "call">) => by.call("POST", "/sign-in/passkey/complete", { body });
  const expired = async (answer: Promise<{ status: number; json: { error: string } }>) => {
    const { status, json } = await answer;
    assert.deepEqual([status, json.error], [410, "challenge_expired"]);
  };
  await expired(complete(elsewhere()));
  const cookie = browser.cookies.get("__Host-muster-passkey")!;
  const mine = elsewhere();
  await mine.call("POST", "/session", { body: { email: user.email, password: PASSWORD } });
  mine.cookies.set("__Host-muster-passkey", cookie);
  await expired(mine.call("POST", "/session/passkey/factor", { body }));
  await expired(user.call("POST", "/session/passkey/step-up", { body, headers: { cookie: `${user.cookie}; x=y` } }));
  assert.equal((await complete(browser)).status, 200);
  await expired(complete(browser));
  const late = elsewhere();
  const options = (await late.call("POST", "/sign-in/passkey/start")).json;
  server.clock.advance(5 * MINUTE);
  await expired(late.call("POST", "/sign-in/passkey/complete", { body: { passkey: device.get(options) } }));
  const forged = `${cookie.slice(0, -1)}${cookie.endsWith("A") ? "B" : "A"}`;
  browser.cookies.set("__Host-muster-passkey", forged);
  await expired(complete(browser));
});

test("a counter that goes back is refused and recorded as a possible copy; one that stays at zero is no counter", async () => {
  const user = await signIn(server, tenant);
  const { device } = await addPasskey(server, user);
  assert.equal((await signInWith(elsewhere(), device, { counter: 7 })).status, 200);
  for (const counter of [7, 6, 0]) {
    const { status, json } = await signInWith(elsewhere(), device, { counter });
    assert.deepEqual([status, json.detail], [401, "passkey_counter"], String(counter));
  }
  assert.equal((await causesOf(user))[0], "passkey_counter");
  assert.equal((await signInWith(elsewhere(), device, { counter: 8 })).status, 200);
});

test("neither another user's nor another tenant's passkey completes a sign-in or a step-up", async () => {
  const [user, colleague] = [await signIn(server, tenant), await signIn(server, tenant)];
  const stranger = await signIn(server, await newTenant(server));
  await addPasskey(server, user);
  for (const holder of [colleague, stranger]) {
    const { device } = await addPasskey(server, holder);
    const half = elsewhere();
    await half.call("POST", "/session", { body: { email: user.email, password: PASSWORD } });
    for (const [who, to] of [
      [half, "factor"],
      [user, "step-up"],
    ] as const)
      for (const userHandle of [undefined, null]) {
        const options = (await who.call("POST", "/session/passkey/start")).json;
        const passkey = device.get(options, userHandle === null ? { userHandle } : {});
        const answer = await who.call("POST", `/session/passkey/${to}`, { body: { passkey } });
        assert.deepEqual([answer.status, answer.json.error], [401, "invalid_credentials"]);
      }
  }
});

test("a new passkey that deviates is refused, and so is an attestation with certificates", async () => {
  const user = await signIn(server, tenant);
  const certified = cborMap([
    [cborText("x5c"), cborBytes(Buffer.from("certificate"))],
    [cborText("sig"), cborBytes(Buffer.from("signature"))],
  ]);
  const { type: _type, userHandle: _handle, ...shared } = DEVIATIONS["another user"]!;
  const attestations = ["packed", "fido-u2f", "tpm", "apple"].map(
    (format): Deviation => ({
      attestation: { format, statement: certified },
    }),
  );
  const names = ["another origin", "another relying party", "another challenge", "a frame of another site"];
  const deviations = [...names, "no verified user", "no present user"].map((name) => DEVIATIONS[name]!);
  for (const deviation of [...deviations, ...attestations, { type: "webauthn.get", ...shared }]) {
    const options = (await user.call("POST", "/passkeys/start")).json;
    const passkey = softAuthenticator(server.httpUrl).create(options, deviation);
    const answer = await user.call("POST", "/passkeys", { body: { name: "Bad", passkey } });
    assert.deepEqual([answer.status, answer.json.error], [401, "invalid_credentials"], JSON.stringify(deviation));
  }
  const options = (await user.call("POST", "/passkeys/start")).json;
  const other = softAuthenticator(server.httpUrl);
  const swapped = { ...softAuthenticator(server.httpUrl).create(options), id: other.id };
  assert.equal((await user.call("POST", "/passkeys", { body: { name: "Swapped", passkey: swapped } })).status, 401);
  assert.deepEqual((await user.call("GET", "/factors")).json.passkeys, []);
});

test("a new passkey is made for the session that asked, once", async () => {
  const [user, other] = [await signIn(server, tenant), await signIn(server, tenant)];
  const options = (await user.call("POST", "/passkeys/start")).json;
  const body = { name: "Laptop", passkey: softAuthenticator(server.httpUrl).create(options) };
  const [, challenge] = /__Host-muster-passkey=([^;]+)/.exec(user.cookie)!;
  const headers = { cookie: `${other.cookie}; __Host-muster-passkey=${challenge}` };
  assert.equal((await other.call("POST", "/passkeys", { body, headers })).json.error, "challenge_expired");
  const answers = await Promise.all([
    user.call("POST", "/passkeys", { body }),
    user.call("POST", "/passkeys", { body }),
  ]);
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal((await user.call("GET", "/factors")).json.passkeys.length, 1);
});

test("requests of strangers store nothing, and wrong signatures are limited as wrong passwords are", async () => {
  const user = await signIn(server, tenant);
  const { device } = await addPasskey(server, user);
  const used = () => runSql(server.app.database.db, "SELECT count(*)::int AS rows FROM used_challenges", []);
  const before = await used();
  for (let i = 0; i < 10; i++) assert.equal((await signInWith(elsewhere(), device, { key: otherKey })).status, 401);
  assert.deepEqual(await used(), before);
  const refused = await signInWith(elsewhere(), device);
  assert.deepEqual([refused.status, refused.json.error], [429, "sign_in_throttled"]);
  const byPassword = elsewhere();
  const password = { email: user.email, password: PASSWORD };
  assert.equal((await byPassword.call("POST", "/session", { body: password })).status, 200, "counted apart");
  await server.app.identity.unlockUser(tenant.caller, user.email);
  assert.equal((await signInWith(elsewhere(), device)).status, 200);
  const flood = elsewhere();
  const unknown = () => signInWith(flood, softAuthenticator(server.httpUrl), { userHandle: device.userHandle });
  for (let i = 0; i < 30; i++) assert.equal((await unknown()).status, 401);
  assert.equal((await unknown()).status, 429);
  server.clock.advance(10 * MINUTE);
  await server.app.identity.prune();
  assert.deepEqual(await used(), [{ rows: 0 }]);
});
