import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { onPostgres } from "../harness/database/database.ts";
import { ADDRESS, addTenant, request, type Tenant } from "../harness/enrollment.ts";
import { type Job, type Outcome, type RaceTrack, startRaces, tally } from "./races.ts";

// With MUSTER_TEST_DATABASE_URL each race is between two server processes; otherwise within the process of the embedded
// database.
let track: RaceTrack;
before(async () => {
  track = await startRaces();
});
after(() => track.stop());

const ROUNDS = onPostgres ? 5 : 2;
/** The concurrency on one lock: all requests get it within the time limit of a statement, even on a slow machine. */
const AT_ONCE = 40;
const times = <T>(n: number, make: (index: number) => T): T[] => Array.from({ length: n }, (_, index) => make(index));
const mint = ({ caller }: Tenant): Job => ({ use: "createClaim", args: [caller, { intendedName: "Pump" }] });

async function used(tenant: Tenant, quota: string): Promise<number> {
  return (await track.access.tenantUsage(tenant.caller)).find((record) => record.quota === quota)!.used;
}

test("the last device of a quota, enrolled and added forty times simultaneously, is one, and no use of a claim is lost", async () => {
  const tenant = await addTenant(track);
  for (let round = 1; round <= ROUNDS; round++) {
    await track.access.setQuota(tenant.caller, "devices", round);
    const claims: { id: string; claimCode: string }[] = [];
    while (claims.length < 30) claims.push(await track.enrollment.createClaim(tenant.caller, { intendedName: "x" }));
    const jobs: Job[] = claims.map(({ claimCode }) => ({
      use: "redeemClaim",
      args: [{ address: ADDRESS }, request(claimCode)],
    }));
    jobs.push(...times(10, (): Job => ({ use: "createDevice", args: [tenant.caller, { name: "Pump" }] })));
    assert.deepEqual(tally(await track.race(jobs)), { ok: 1, quota_exceeded: 39 });
    assert.equal(await used(tenant, "devices"), round);
    const after = await Promise.all(claims.map(({ id }) => track.enrollment.getClaim(tenant.caller, id)));
    const spent = after.reduce((sum, { usedCount }) => sum + usedCount, 0);
    const enrolled = after.reduce((sum, { deviceIds }) => sum + deviceIds.length, 0);
    assert.ok(spent <= 1 && spent === enrolled);
  }
  await track.assertConsistent();
});

test("a quota that is filled through rounds of allowances is filled exactly", async () => {
  const tenant = await addTenant(track);
  for (const quota of [100, 300, 430]) {
    const before = await used(tenant, "openClaims");
    await track.access.setQuota(tenant.caller, "openClaims", quota);
    const jobs = times(quota - before + 60, () => mint(tenant));
    const outcomes: Outcome[] = [];
    for (let from = 0; from < jobs.length; from += AT_ONCE)
      outcomes.push(...(await track.race(jobs.slice(from, from + AT_ONCE))));
    assert.deepEqual(tally(outcomes), { ok: quota - before, quota_exceeded: 60 });
    assert.equal(await used(tenant, "openClaims"), quota);
  }
  await track.assertConsistent();
});

test("a quota lowered during additions applies immediately, and existing records stay", async () => {
  const tenant = await addTenant(track);
  await track.access.setQuota(tenant.caller, "openClaims", 1_000);
  const [outcomes, { used: whenLowered }] = await Promise.all([
    track.race(times(120, () => mint(tenant))),
    track.access.setQuota(tenant.caller, "openClaims", 20),
  ]);
  const { ok = 0 } = tally(outcomes);
  assert.equal(await used(tenant, "openClaims"), ok);
  assert.ok(ok <= Math.max(20, whenLowered), `${ok} of ${whenLowered}`);
});

test("room that a deletion makes is filled again, exactly", async () => {
  const tenant = await addTenant(track);
  await track.access.setQuota(tenant.caller, "devices", 5);
  const outcomes = await track.race(
    times(8, (): Job => ({ use: "createDevice", args: [tenant.caller, { name: "Pump" }] })),
  );
  assert.deepEqual(tally(outcomes), { ok: 5, quota_exceeded: 3 });
  const made = outcomes.filter(({ code }) => code === "ok").map(({ result }) => result.id as string);
  for (const id of made.slice(0, 2)) await track.enrollment.deleteDevice(tenant.caller, id);
  const again = await track.race(
    times(8, (): Job => ({ use: "createDevice", args: [tenant.caller, { name: "Pump" }] })),
  );
  assert.deepEqual(tally(again), { ok: 2, quota_exceeded: 6 });
});

test("groups and their channels created simultaneously stay within both quotas", async () => {
  const { caller } = await addTenant(track);
  await track.access.setQuota(caller, "groups", 7);
  await track.access.setQuota(caller, "channels", 9);
  const channels = ["a", "b"].map((name) => ({ type: "email" as const, target: `${name}@example.com` }));
  const jobs = times(20, (at): Job => ({ use: "createGroup", args: [caller, { name: `${at}`, channels }] }));
  assert.deepEqual(tally(await track.race(jobs)), { ok: 4, quota_exceeded: 16 });
});

test("simultaneous tickets are created up to the limit per minute, and one more is admitted a minute after the first", async () => {
  const tenant = await addTenant(track);
  const open = (): Job => ({ use: "openTicket", args: [tenant.caller, { title: "Grease it" }] });
  await track.access.setQuota(tenant.caller, "ticketsPerMinute", 12);
  assert.deepEqual(tally(await track.race(times(5, open))), { ok: 5 });
  track.clock.advance(20_000);
  assert.deepEqual(tally(await track.race(times(30, open))), { ok: 7, rate_limited: 23 });
  assert.equal(await used(tenant, "ticketsPerMinute"), 12);
  track.clock.advance(40_000);
  assert.deepEqual(tally(await track.race(times(30, open))), { ok: 5, rate_limited: 25 });
  track.clock.advance(60_000);
  assert.deepEqual(tally(await track.race(times(30, open))), { ok: 12, rate_limited: 18 });
  await track.assertConsistent();
});
