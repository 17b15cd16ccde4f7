import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { DAY, HOUR, MINUTE } from "../../../src/lib/clock.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { newKey, newTenant, type TestTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { https } from "../../harness/http/https.ts";
import { turnOnFactor } from "../../harness/second-factor.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn } from "../../harness/sign-in.ts";

/** Sign-ins, their failures, exports and new addresses of API keys in the administrative audit. */
let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;

before(async () => {
  server = await startServer({ env: { MUSTER_TRUSTED_PROXIES: "127.0.0.1" } });
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
});
after(() => server.stop());
beforeEach(() => server.clock.advance(10 * MINUTE));

interface Entry {
  act: string;
  actor: string;
  address: string | null;
  target: string;
  after: Record<string, unknown>;
}

async function entries(query: string): Promise<Entry[]> {
  await server.app.identity.recordFailedSignIns();
  return (await admin.call("GET", `/audit/admin?limit=200&${query}`)).json.items;
}
const installation = async (): Promise<Entry[]> => {
  await server.app.identity.recordFailedSignIns();
  return (await server.app.access.listInstallationActs({ skip: 0, limit: 200 })) as unknown as Entry[];
};

function attempt(email: string, password: string, address: string, browser = newBrowser(server)) {
  return browser.call("POST", "/session", { body: { email, password }, headers: { "x-forwarded-for": address } });
}

test("sign-in, step-up and sign-out of a user are recorded with the address, each once", async () => {
  const { email, userId } = await signIn(server, tenant, "viewer");
  const browser = newBrowser(server);
  const headers = { "x-forwarded-for": "203.0.113.9" };
  assert.equal((await attempt(email, PASSWORD, "203.0.113.9", browser)).status, 200);
  await browser.call("POST", "/session/step-up", { body: { password: PASSWORD }, headers });
  const { json } = await browser.call("GET", "/sessions", { headers });
  assert.equal((await browser.call("DELETE", "/sessions", { headers })).status, 204);
  await browser.call("DELETE", "/session", { headers });
  const recorded = await entries(`act=session.&target=${userId}`);
  assert.deepEqual(
    recorded.map(({ act, actor, address }) => [act, actor, address]),
    [
      ["session.end", `user:${userId}`, "203.0.113.9"],
      ["session.end-others", `user:${userId}`, "203.0.113.9"],
      ["session.step-up", `user:${userId}`, "203.0.113.9"],
      ["session.begin", `user:${userId}`, "203.0.113.9"],
      ["session.begin", `user:${userId}`, "127.0.0.1"],
    ],
  );
  const current = json.items.find((session: { current: boolean }) => session.current).id;
  assert.deepEqual(recorded.at(0)?.after, { email, sessionId: current });
  assert.deepEqual(recorded.at(1)?.after, { email, sessionId: current, ended: 1 });
});

test("a password without the second factor, a wrong code and the complete sign-in are three events", async () => {
  const user = await signIn(server, tenant, "operator");
  const factor = await turnOnFactor(server, user);
  const browser = newBrowser(server);
  await attempt(user.email, PASSWORD, "203.0.113.10", browser);
  const headers = { "x-forwarded-for": "203.0.113.10" };
  await browser.call("POST", "/session/factor", { body: { code: "000000" }, headers });
  await browser.call("POST", "/session/factor", { body: { code: factor.nextCode() }, headers });
  const recorded = (await entries(`act=session.&target=${user.userId}`)).filter(
    (entry) => entry.address === "203.0.113.10",
  );
  const facts = recorded.map(({ act, after }) => [act, after.factor ?? after.cause]);
  assert.deepEqual(
    new Set(facts.map(String)),
    new Set(["session.begin,given", "session.refuse,code", "session.begin,required"]),
  );
});

test("repeated failures from one address block are one entry, and one more with their number an hour later", async () => {
  const { email, userId } = await signIn(server, tenant, "viewer");
  for (let host = 1; host <= 8; host++) await attempt(email, `secret-${host}`, `2001:db8:5::${host}`);
  await attempt(email, "wrong", "198.51.100.7");
  const query = `act=session.refuse&target=${userId}`;
  const recorded = await entries(query);
  assert.deepEqual(recorded.map(({ actor, after }) => [actor, after.addressBlock, after.cause]).sort(), [
    ["visitor", "198.51.100.7", "password"],
    ["visitor", "2001:db8:5:0::/64", "password"],
  ]);
  assert.ok(!JSON.stringify(recorded).includes("secret-"), "a password is never recorded");
  server.clock.advance(HOUR + 1);
  await server.app.identity.prune();
  await server.app.identity.prune();
  const all = await entries(query);
  const times = all.map(({ after }) => Number(after.times));
  assert.equal(
    times.reduce((sum, each) => sum + each, 0),
    9,
    "every failure is counted once",
  );
  assert.ok(all.length <= 3, `${all.length} entries`);
});

test("a throttled attempt and one on a deactivated user are recorded with their cause", async () => {
  const [throttled, gone] = [await signIn(server, tenant, "viewer"), await signIn(server, tenant, "viewer")];
  for (let host = 1; host <= 11; host++) await attempt(throttled.email, "wrong", `198.51.1.${host}`);
  await server.app.access.deactivateUser(tenant.caller, gone.email);
  await attempt(gone.email, PASSWORD, "198.51.2.1");
  const causes = async ({ userId }: SignedIn) =>
    new Set((await entries(`act=session.refuse&target=${userId}`)).map(({ after }) => after.cause));
  assert.deepEqual(await causes(throttled), new Set(["password", "throttled"]));
  assert.deepEqual(await causes(gone), new Set(["deactivated"]));
});

test("failures without an account are in the audit of the installation alone, without the entered address", async () => {
  const before = (await entries("act=session.refuse")).length;
  await attempt("hunter2-typed-in-the-wrong-field", "x", "198.51.3.1");
  await attempt("nobody@example.com", "x", "198.51.3.1");
  const recorded = (await installation()).filter(({ after }) => after?.addressBlock === "198.51.3.1");
  assert.deepEqual(
    recorded.map(({ act, target, after }) => [act, target, after.cause]),
    [["session.refuse", "unknown", "unknown_account"]],
  );
  assert.ok(!JSON.stringify(recorded).includes("hunter2"));
  assert.equal((await entries("act=session.refuse")).length, before);
});

test("a guesser with many addresses makes a bounded number of entries, and others are still recorded", async () => {
  const other = await newTenant(server);
  const [victim, bystander] = [await signIn(server, other, "viewer"), await signIn(server, tenant, "viewer")];
  const guesses = 260;
  for (let n = 0; n < guesses; n++) await attempt(victim.email, "wrong", `198.18.${n >> 8}.${n & 255}`);
  await attempt(bystander.email, "wrong", "198.51.4.1");
  assert.equal((await entries(`act=session.refuse&target=${bystander.userId}`)).length, 1);
  const ofVictim = async () => {
    await server.app.identity.recordFailedSignIns();
    const query = { act: "session.refuse", skip: 0, limit: 1_000 };
    return (await server.app.access.listAdminActs(other.caller, query)).items;
  };
  assert.equal((await ofVictim()).length, 201, "200 and one for all others");
  server.clock.advance(HOUR + 1);
  await server.app.identity.prune();
  const times = (await ofVictim()).map(({ after }) => (after as { times: number }).times);
  assert.equal(
    times.reduce((sum, each) => sum + each, 0),
    guesses,
  );
});

if (onPostgres)
  test("two processes that see the same failures record one entry", async () => {
    const second = await startServer({ share: server, env: { MUSTER_TRUSTED_PROXIES: "127.0.0.1" } });
    try {
      const { email, userId } = await signIn(server, tenant, "viewer");
      const guess = (at: TestServer) =>
        newBrowser(at).call("POST", "/session", {
          body: { email, password: "wrong" },
          headers: { "x-forwarded-for": "198.51.5.1" },
        });
      await Promise.all([guess(server), guess(second)]);
      await Promise.all([server, second].map(({ app }) => app.identity.recordFailedSignIns()));
      assert.equal((await entries(`act=session.refuse&target=${userId}`)).length, 1);
    } finally {
      await second.stop();
    }
  });

test("the export of a list is recorded with its filter before the file is sent", async () => {
  const { status } = await admin.call("GET", "/audit/admin?as=csv&act=user.");
  assert.equal(status, 200);
  const [entry] = await entries("act=list.export");
  assert.deepEqual(
    [entry?.actor, entry?.target, entry?.after],
    [`user:${admin.userId}`, "administrative-audit", { act: "user." }],
  );
  assert.equal((await admin.call("HEAD", "/audit/admin?as=csv")).status, 200);
  assert.equal((await entries("act=list.export")).length, 1, "HEAD sends no record");
});

test("an API key's first use from an address block is recorded, and at most 20 new blocks in a day", async () => {
  const key = await newKey(server, tenant, "devices:read");
  const [, id] = key.split("_");
  const use = async (address: string) => {
    const answer = await https(`${server.httpUrl}/api/v1/devices`, {
      ca: server.ca,
      headers: { "x-api-key": key, "x-forwarded-for": address },
    });
    assert.equal(answer.status, 200, answer.text);
  };
  const query = `act=key.use-from-new-address&target=${id}`;
  const recorded = async (count: number): Promise<Entry[]> => {
    const found = await eventually(async () => {
      const items = await entries(query);
      return items.length >= count && items;
    });
    assert.equal(found?.length, count);
    return found;
  };
  for (const host of ["203.0.113.1", "203.0.113.1", "2001:db8::1", "2001:db8::2"]) {
    await use(host);
    await recorded(host.startsWith("203") ? 1 : 2);
  }
  const [newest] = await recorded(2);
  assert.deepEqual(
    [newest?.actor, newest?.address, newest?.after.addressBlock],
    [`apikey:${id}`, "2001:db8::1", "2001:db8:0:0::/64"],
  );
  for (let n = 3; n <= 22; n++) {
    await use(`198.51.100.${n}`);
    await recorded(Math.min(n, 20));
  }
  assert.equal((await recorded(20))[0]?.after.furtherOmitted, true);
  server.clock.advance(DAY + MINUTE);
  admin = await signIn(server, tenant);
  await use("198.51.100.200");
  await recorded(21);
});
