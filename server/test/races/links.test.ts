import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { runSql } from "../harness/database/run-sql.ts";
import { ADDRESS, addTenant } from "../harness/enrollment.ts";
import { PASSWORD, tokenOf } from "../harness/sign-in.ts";
import { type Job, type Outcome, type RaceTrack, startRaces, tally } from "./races.ts";

// With MUSTER_TEST_DATABASE_URL each race is between two server processes; otherwise within the process of the embedded
// database.
let track: RaceTrack;
before(async () => {
  track = await startRaces();
});
after(() => track.stop());

/** Few enough for each process's queue of passwords to hash. */
const AT_ONCE = 8;
const BROWSER = { address: ADDRESS, userAgent: "Chromium" };
const times = <T>(make: (index: number) => T): T[] => Array.from({ length: AT_ONCE }, (_, index) => make(index));

/**
 * Asserts that exactly one has used the link.
 * @returns its result
 */
function oneWinner(outcomes: Outcome[]): Outcome["result"] {
  assert.deepEqual(tally(outcomes), { ok: 1, link_expired: AT_ONCE - 1 });
  return outcomes.find(({ code }) => code === "ok")!.result;
}

async function count(query: string): Promise<number> {
  const [row] = await runSql<{ rows: number }>(track.database.db, `SELECT count(*)::int AS rows FROM ${query}`, []);
  return row!.rows;
}

test("of eight browsers with the set-up link one becomes the first administrator, of one tenant", async () => {
  const { url } = await track.identity.makeSetUpLink();
  const outcomes = await track.race(
    times((index): Job => {
      const tenant = { tenantName: `Tenant ${index}`, tenantSlug: `tenant-${index}` };
      const who = { email: `ada-${index}@acme.example`, password: PASSWORD };
      return { use: "setUp", args: [{ token: tokenOf(url), ...tenant, ...who, ...BROWSER }] };
    }),
  );
  const { session } = oneWinner(outcomes);
  assert.deepEqual([session.user.role, session.user.platform], ["admin", true]);
  assert.deepEqual([await count("users"), await count("tenants"), await count("user_sessions")], [1, 1, 1]);
  await track.assertConsistent();
});

test("of eight browsers with one invitation one becomes the user", async () => {
  const tenant = await addTenant(track);
  const { url } = await track.identity.inviteUser(tenant.caller, { email: "grace@acme.example", role: "operator" });
  const outcomes = await track.race(
    times((): Job => ({ use: "acceptInvite", args: [{ token: tokenOf(url), password: PASSWORD, ...BROWSER }] })),
  );
  const { session } = oneWinner(outcomes);
  assert.equal(await count("users WHERE email = 'grace@acme.example'"), 1);
  assert.equal(await count(`user_sessions WHERE user_id = '${session.user.id}'`), 1);
  await track.assertConsistent();
});

test("of two simultaneous passwords with one reset link one is set", async () => {
  const tenant = await addTenant(track);
  const user = await track.access.createUser(tenant.caller, { email: "eve@acme.example", role: "viewer" });
  const { url } = await track.identity.createResetLink(tenant.caller, user.id);
  const passwordOf = (index: number) => `${PASSWORD} ${index}`;
  const outcomes = await track.race(
    times((index): Job => {
      const chosen = { token: tokenOf(url), password: passwordOf(index), ...BROWSER };
      return { use: "completeReset", args: [chosen] };
    }),
  );
  oneWinner(outcomes);
  const winner = outcomes.findIndex(({ code }) => code === "ok");
  const visit = { ...BROWSER, browser: undefined };
  const signIn = (index: number) =>
    track.identity.signIn({ email: "eve@acme.example", password: passwordOf(index), ...visit });
  assert.equal((await signIn(winner)).session.user.id, user.id);
  await assert.rejects(signIn((winner + 1) % AT_ONCE), { code: "invalid_credentials" });
});

test("a disabled MQTT client enabled by eight requests, while its client id is registered again, has one owner", async () => {
  const tenant = await addTenant(track);
  const gateway = { clientId: `gateway-${tenant.slug}`, username: `gateway-${tenant.slug}` };
  await track.connections.createMqttClient(tenant.caller, gateway);
  await track.connections.disableMqttClient(tenant.caller, gateway.clientId);
  const enable = times((): Job => ({ use: "enableMqttClient", args: [tenant.caller, gateway.clientId] }));
  const create: Job = { use: "createMqttClient", args: [tenant.caller, { ...gateway, username: `${tenant.slug}-2` }] };
  const outcomes = await track.race([...enable.slice(0, 4), create, ...enable.slice(4)]);
  const [created] = outcomes.splice(4, 1);
  // If the registration was first, a request to enable finds an enabled client and changes nothing, or waits for it and
  // is refused.
  const refusals = outcomes.filter(({ code }) => code !== "ok");
  assert.ok(
    refusals.every(({ code }) => code === "client_id_in_use"),
    JSON.stringify(tally(outcomes)),
  );
  assert.ok(created!.code === "ok" || refusals.length === 0, JSON.stringify(tally([...outcomes, created!])));
  const enabled = `mqtt_clients WHERE client_id = '${gateway.clientId}' AND disabled_at IS NULL`;
  assert.equal(await count(enabled), 1);
  await track.assertConsistent();
});
