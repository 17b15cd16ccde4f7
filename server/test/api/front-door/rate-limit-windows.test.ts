import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Admission } from "../../../src/access/access.ts";
import { databaseClock } from "../../../src/db/clock/database-clock.ts";
import type { Db } from "../../../src/db/database.ts";
import { HOUR, MINUTE } from "../../../src/lib/clock.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { FakeClock } from "../../harness/fake-clock.ts";
import { callerForKey } from "../../harness/shell-caller.ts";
import {
  admissions,
  advance,
  countAdmitted,
  LIMIT,
  openRateLimitFixture,
  type RateLimitFixture,
} from "./rate-limit.ts";

const HERE = "127.0.0.1";
const logger = createLogger("silent");

let fixture: RateLimitFixture;
before(async () => {
  fixture = await openRateLimitFixture();
});
after(() => fixture.close());

test("a step of a wall clock neither lifts the limit nor locks the key out, also for a new key", async () => {
  for (const step of [2 * HOUR, -2 * HOUR]) {
    const both = await fixture.twoProcesses();
    const [one, other] = both;
    const { key } = await fixture.newKey();
    assert.equal(await countAdmitted(one, key, 130), 120);
    advance(both, 20_000);
    for (const { clock } of both) clock.step(step);
    assert.equal(await countAdmitted(other, key, 10), 0, "met for the first time after the step");
    other.clock.step(-2 * step);
    for (const { access } of both) await access.compareRequestClocks();
    const [announced] = await admissions(other, key, 1);
    assert.deepEqual([announced!.admitted, announced!.resetSeconds], [false, 40]);
    advance(both, 39_999);
    for (const process of both) assert.equal(await countAdmitted(process, key, 10), 0);
    advance(both, 1);
    assert.equal(await countAdmitted(other, key, 130), 120, "not a millisecond later than announced");
  }
});

test("a starting process continues the others' count, also after a step; alone it uses the wall clock", async () => {
  const both = await fixture.twoProcesses();
  const { key } = await fixture.newKey();
  assert.equal(await countAdmitted(both[0], key, 120), 120);
  advance(both, 10_000);
  for (const { clock } of both) clock.step(-2 * HOUR);
  await both[1].access.compareRequestClocks();
  advance(both, 5_000);
  const third = {
    access: await fixture.start(fixture.second, new FakeClock(both[0].clock.now())),
    clock: both[0].clock,
  };
  assert.deepEqual((await admissions(third, key, 1))[0]!.resetSeconds, 45);

  const later = new FakeClock(new Date(both[0].clock.now().getTime() + 30_000));
  const restarted = { access: await fixture.start(fixture.database, later), clock: later };
  assert.deepEqual((await admissions(restarted, key, 1))[0]!.resetSeconds, 15, "half a minute without a process");
  advance([restarted], 15_000);
  assert.equal(await countAdmitted(restarted, key, 130), 120);
});

test("only windows in which nothing counts any more are pruned", async () => {
  const [one] = await fixture.twoProcesses();
  const [resting, ended, busy] = [await fixture.newKey(), await fixture.newKey(), await fixture.newKey()];
  assert.equal(await countAdmitted(one, resting.key, 120), 120);
  assert.equal(await countAdmitted(one, ended.key, 1), 1);
  await one.access.revokeKey(await callerForKey(one.access, ended.id), ended.id);
  advance([one], 30_000);
  assert.equal(await countAdmitted(one, busy.key, 120), 120);
  advance([one], 30_000);
  await one.access.prune();
  assert.deepEqual([await fixture.windowOf(resting.id), await fixture.windowOf(ended.id)], [undefined, undefined]);
  assert.equal((await fixture.windowOf(busy.id))?.times.length, 120);
  assert.equal(await countAdmitted(one, busy.key, 10), 0);
  assert.equal(await countAdmitted(one, resting.key, 130), 120);
});

test("pruning during requests loses no count", async () => {
  const both = await fixture.twoProcesses();
  const { key } = await fixture.newKey();
  for (let round = 0; round < 5; round++) {
    const [, one, other] = await Promise.all([
      both[0].access.prune(),
      countAdmitted(both[0], key, 70),
      countAdmitted(both[1], key, 70),
      both[1].access.prune(),
    ]);
    assert.equal(one + other, LIMIT);
    advance(both, MINUTE);
  }
});

async function isQueryWaiting(db: Db): Promise<boolean> {
  const statement = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await runSql(db, statement, [])).length > 0;
}

// The embedded database has one connection, and one machine's clock.
if (onPostgres) {
  test("a window that another transaction locks delays only its own key", async () => {
    const [one] = await fixture.twoProcesses();
    const [locked, free] = [await fixture.newKey(), await fixture.newKey()];
    await one.access.admitRequest(locked.key, HERE);
    let waiting: Promise<Admission> | undefined;
    await fixture.second.db.transaction().execute(async (tx) => {
      await tx.selectFrom("api_key_windows").select("key_id").where("key_id", "=", locked.id).forUpdate().execute();
      waiting = one.access.admitRequest(locked.key, HERE);
      while (!(await isQueryWaiting(tx)));
      for (let i = 0; i < 3; i++) assert.equal((await one.access.admitRequest(free.key, HERE)).admitted, true);
    });
    assert.equal((await waiting!).remaining, 118);
  });

  test("two machines ten minutes apart share a window by the database's clock, and their clock steps do not count as time", async () => {
    const machines = [new FakeClock(), new FakeClock(new Date(Date.now() + 10 * MINUTE))] as const;
    const clocks = await Promise.all([
      databaseClock(fixture.database, machines[0], logger),
      databaseClock(fixture.second, machines[1], logger),
    ]);
    try {
      const one = { access: await fixture.start(fixture.database, clocks[0]) };
      const other = { access: await fixture.start(fixture.second, clocks[1]) };
      const { key } = await fixture.newKey();
      assert.equal((await countAdmitted(one, key, 60)) + (await countAdmitted(other, key, 100)), 120);
      for (const machine of machines) machine.step(3 * HOUR);
      assert.equal((await countAdmitted(one, key, 5)) + (await countAdmitted(other, key, 5)), 0);
      // Each clock is the database's at the moment it was read, which is seconds apart if the machine is busy.
      for (const machine of machines) machine.advance(40_000);
      assert.equal((await countAdmitted(one, key, 5)) + (await countAdmitted(other, key, 5)), 0);
      for (const machine of machines) machine.advance(40_000);
      assert.equal((await countAdmitted(one, key, 100)) + (await countAdmitted(other, key, 100)), 120);
    } finally {
      for (const clock of clocks) clock.stop();
    }
  });
}
