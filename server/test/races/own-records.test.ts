import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { HOUR } from "../../src/lib/clock.ts";
import { LIMITS } from "../../src/lib/limits/limits.ts";
import { onPostgres } from "../harness/database/database.ts";
import { addTenant, type Tenant } from "../harness/enrollment.ts";
import { type Job, type RaceTrack, startRaces, tally } from "./races.ts";

// With MUSTER_TEST_DATABASE_URL each race is between two server processes; otherwise within the process of the embedded
// database.
let track: RaceTrack;
let tenant: Tenant;
before(async () => {
  track = await startRaces();
  tenant = await addTenant(track);
});
after(() => track.stop());

const ROUNDS = onPostgres ? 3 : 1;
const MOST_CHANNELS = LIMITS.channelsOfUser.value;
const MOST_ADDRESSES = LIMITS.channelsOfUserPerDay.value;
const MOST_TESTS = LIMITS.testsOfUserPerHour.value;
const MOST_FILTERS = LIMITS.filtersOfUser.value;
const times = <T>(n: number, make: (index: number) => T): T[] => Array.from({ length: n }, (_, index) => make(index));

let users = 0;
async function newUser(): Promise<Caller> {
  const { id: userId } = await track.access.createUser(tenant.caller, {
    email: `user-${++users}@example.com`,
    role: "viewer",
  });
  return { ...tenant.caller, actor: `user:${userId}`, rights: { kind: "user", userId, role: "viewer" } };
}

const channelsOf = async (user: Caller) => (await track.notifications.getOwnNotifications(user)).channels;

test("of twelve channels that a user adds simultaneously five are added, and one address is one channel", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const user = await newUser();
    const add = (target: string): Job => ({ use: "addOwnChannel", args: [user, { type: "email", target }] });
    const jobs = times(12, (at) => add(`home-${at}@example.org`));
    assert.deepEqual(tally(await track.race(jobs)), { ok: MOST_CHANNELS, invalid_request: 12 - MOST_CHANNELS });
    assert.equal((await channelsOf(user)).length, MOST_CHANNELS);

    const other = await newUser();
    const target = "Same@example.org";
    const same = times(6, (at): Job => {
      const spelled = at % 2 === 0 ? target : target.toLowerCase();
      return { use: "addOwnChannel", args: [other, { type: "email", target: spelled }] };
    });
    const outcomes = await track.race(same);
    assert.deepEqual(tally(outcomes), { ok: 6 });
    assert.equal(new Set(outcomes.map(({ result }) => result.id)).size, 1);
    assert.equal((await channelsOf(other)).length, 1);
  }
});

test("a user who removes channels while adding others names at most ten addresses per day", async () => {
  const user = await newUser();
  let named = 0;
  for (let from = 0; from < 2 * MOST_ADDRESSES; from += MOST_CHANNELS) {
    const jobs = times(MOST_CHANNELS, (at): Job => {
      const channel = { type: "email", target: `home-${from + at}@example.org` } as const;
      return { use: "addOwnChannel", args: [user, channel] };
    });
    const { ok = 0 } = tally(await track.race(jobs));
    named += ok;
    for (const { id } of await channelsOf(user)) await track.notifications.removeOwnChannel(user, id);
  }
  assert.equal(named, MOST_ADDRESSES);
});

test("tests that a user sends simultaneously are counted together", async () => {
  const user = await newUser();
  const jobs = times(MOST_TESTS + 5, (): Job => ({ use: "testOwnNotifications", args: [user] }));
  const outcomes = await track.race(jobs);
  assert.deepEqual(tally(outcomes), { ok: MOST_TESTS, rate_limited: 5 });
  track.clock.advance(HOUR + 1);
  assert.deepEqual(tally(await track.race(jobs.slice(0, 1))), { ok: 1 });
});

test("of the filters that a user saves simultaneously twenty are saved, and each name is used once", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const user = await newUser();
    const save = (name: string): Job => ({ use: "saveFilter", args: [user, { list: "devices", name, values: {} }] });
    assert.deepEqual(tally(await track.race(times(6, () => save("Mine")))), { ok: 1, already_exists: 5 });
    const more = await track.race(times(MOST_FILTERS + 3, (at) => save(`Filter ${at}`)));
    assert.deepEqual(tally(more), { ok: MOST_FILTERS - 1, invalid_request: 4 });
    const saved = await track.access.listFilters(user, "devices");
    assert.equal(saved.length, MOST_FILTERS);
    const renames = saved.slice(0, 6).map(({ id }): Job => ({ use: "renameFilter", args: [user, id, "The one"] }));
    assert.deepEqual(tally(await track.race(renames)), { ok: 1, already_exists: 5 });
  }
});
