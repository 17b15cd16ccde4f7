import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { openDatabase, type Tx } from "../../src/db/database.ts";
import { HOUR, SECOND } from "../../src/lib/clock.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { createMetrics } from "../../src/lib/metrics/metrics.ts";
import { withTimeout } from "../../src/lib/timeouts.ts";
import { onPostgres } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { testFeatures } from "../harness/features.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "../harness/telemetry.ts";
import { devicesOf, fairnessRules, reasonsOf } from "./suite-fairness.ts";

let fixture: TelemetryFixture;
let caller: Caller;
let other: Caller;
before(async () => {
  // Statements that wait for a lock give up after a service's time limit.
  fixture = await openTelemetryFixture({ patient: false });
  [caller, other] = [await fixture.tenant(), await fixture.tenant()];
});
after(() => fixture.close());

async function valueOfA(tenant: Caller, device: TestSender): Promise<unknown> {
  return (await fixture.telemetry.listLatest(tenant, device.id)).find(({ metric }) => metric === "a")?.value;
}

describe("tenants and messages", () => fairnessRules(() => fixture, { flood: 4_000, most: 1_500 }));

test("a message of many rows is stored in parts, between which other tenants' messages are stored", async () => {
  const [heavy, quiet] = [await fixture.device(caller), await fixture.device(other)];
  await quiet.publish({ a: 0 });
  const now = fixture.clock.now().getTime();
  const values = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`m${n}`, n]));
  const large = heavy.publish(Array.from({ length: 400 }, (_, at) => ({ ts: now - at, values })));
  let isStored = false;
  void large.then(() => {
    isStored = true;
  });
  for (let n = 0; n < 2; n++) await quiet.publish({ a: n });
  assert.equal(isStored, false);
  await large;
  const [rows] = await fixture.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM shared_readings WHERE device_uid = $1",
    [heavy.uid],
  );
  assert.equal(rows?.count, 8_000);
  assert.equal((await fixture.telemetry.listLatest(caller, heavy.id)).length, 20);
});

if (onPostgres) {
  /** Runs `work` while the latest values of a device are locked, so that none of its messages can be stored. */
  async function whileLocked<T>(device: TestSender, work: () => Promise<T>): Promise<T> {
    return await fixture.database.db.transaction().execute(async (tx: Tx) => {
      await runSql(tx, "SELECT FROM device_latest WHERE device_uid = $1 FOR UPDATE", [device.uid]);
      return await work();
    });
  }

  test("a tenant whose batches wait for a lock until they time out does not delay another tenant's", async () => {
    const [locked, ...others] = await devicesOf(fixture, caller);
    const quiet = await devicesOf(fixture, other);
    const delays: number[] = [];
    const stuck = await whileLocked(locked!, async () => {
      const waiting = locked!.publish({ a: 2 });
      const until = performance.now() + 3_500;
      while (performance.now() < until) {
        const started = performance.now();
        void others.map((device) => device.publish({ a: 1 }));
        await Promise.all(quiet.map((device) => device.publish({ a: 1 })));
        delays.push(performance.now() - started);
      }
      return { waiting };
    });
    await stuck.waiting;
    assert.equal(await valueOfA(caller, locked!), 2);
    assert.deepEqual(await reasonsOf(fixture, caller, locked!), []);
    assert.ok(delays.length > 2, `only ${delays.length} rounds`);
    // A message that waited for the lock would have taken as long as all rounds. A machine may be slow, but not always.
    const usual = delays.toSorted((a, b) => a - b)[delays.length >> 1]!;
    assert.ok(usual < 1_500, `a message of the other tenant took ${usual} ms`);
    await fixture.telemetry.drain();
  });

  test("a message that times out repeatedly and alone is rejected with a reason, and the rest of its batch is stored", async () => {
    const metrics = createMetrics();
    const { telemetry } = testFeatures({ ...fixture, metrics });
    const [locked, ...others] = await devicesOf(fixture, caller);
    await whileLocked(locked!, () =>
      Promise.all([
        ...others.map((device) => device.publish({ a: 1 }, telemetry)),
        locked!.publish({ a: 2 }, telemetry),
        ...others.map((device) => device.publish({ a: 2 }, telemetry)),
      ]),
    );
    assert.deepEqual(await reasonsOf(fixture, caller, locked!), [
      "the database cannot store this message within its time limit; it was tried 3 times",
    ]);
    assert.equal(await valueOfA(caller, locked!), 0);
    for (const device of others) assert.equal(await valueOfA(caller, device), 2);
    const text = await metrics.text();
    assert.match(text, /muster_messages_rejected_total\{reason="database_timeout"\} 1\n/);
    assert.match(text, /muster_batches_bisected_total\{cause="timed_out"\} [1-9]/);
    await locked!.publish({ a: 3 }, telemetry);
    assert.equal(await valueOfA(caller, locked!), 3);
  });

  const rolledUp = {
    "being rolled up": async (tx: Tx, { uid }: TestSender) => {
      await runSql(tx, "DELETE FROM roll_up_marks WHERE device_uid = $1", [uid]);
    },
    // Whenever a check asks what the message waits for, the process that computes the hour has just completed a step.
    "rolled up in steps": async (tx: Tx, { uid }: TestSender) => {
      await fixture.query("UPDATE roll_up_marks SET done_to = hour WHERE device_uid = $1", [uid]);
      await runSql(tx, "SELECT FROM device_latest WHERE device_uid = $1 FOR UPDATE", [uid]);
    },
  };
  for (const [how, rollUp] of Object.entries(rolledUp)) {
    test(`a message whose hour is ${how} for long is stored once that is done, and those of other devices before`, async () => {
      // Three attempts of this process take a second.
      const timeLimits = { connectMs: 1_500, statementMs: 300 };
      const database = await openDatabase({
        url: fixture.databaseUrl,
        dataDir: "memory",
        timeLimits,
        logger: createLogger("silent"),
      });
      const { telemetry } = testFeatures({ ...fixture, database });
      const [device, ...others] = (await devicesOf(fixture, caller)) as [TestSender, ...TestSender[]];
      const ts = fixture.clock.now().getTime() - HOUR;
      await device.publish({ ts, values: { a: 0 } });
      const waiting = await fixture.database.db.transaction().execute(async (tx: Tx) => {
        await rollUp(tx, device);
        const late = device.publish({ ts: ts + 1, values: { late: 1 } }, telemetry);
        // Tenants in both shards, so that one of them shares the shard that stores for the device.
        await Promise.all(others.map((other) => other.publish({ a: 1 }, telemetry)));
        assert.equal(await withTimeout<unknown>(late, 3 * SECOND, () => "waits"), "waits");
        return { late };
      });
      await waiting.late;
      await database.close();
      assert.deepEqual(await reasonsOf(fixture, caller, device), []);
      const latest = await fixture.telemetry.listLatest(caller, device.id);
      assert.ok(latest.some(({ metric }) => metric === "late"));
    });
  }

  test("a message that times out because the table is locked is neither rejected nor acknowledged", async () => {
    const device = await fixture.device(caller);
    await device.publish({ a: 0 });
    await fixture.database.db.transaction().execute(async (tx) => {
      await runSql(tx, "LOCK TABLE telemetry_messages IN EXCLUSIVE MODE");
      await assert.rejects(device.publish({ a: 1 }));
    });
    assert.deepEqual(await reasonsOf(fixture, caller, device), []);
    await device.publish({ a: 2 });
    assert.equal(await valueOfA(caller, device), 2);
  });
}
