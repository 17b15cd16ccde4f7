import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import fc from "fast-check";
import type { Caller } from "../../../src/access/access.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { OF_THIS_DATABASE } from "../../harness/database/postgres.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "../../harness/telemetry.ts";
import { around, deviceWithLargeHour, type LargeHour, rollUp, SLICE_BYTES } from "./large-hour.ts";
import { assertReads, type Sent, send, stored } from "./sent-readings.ts";
import { atNoon } from "./suite-chunks.ts";

let fixture: TelemetryFixture;
let caller: Caller;
before(async () => {
  fixture = await openTelemetryFixture({ sliceBytes: SLICE_BYTES });
  caller = await fixture.tenant();
});
beforeEach(() => atNoon(fixture));
after(() => fixture.close());

/** Returns where the slices of the device's hours begin. */
async function slicesOf({ uid }: TestSender, { query } = fixture): Promise<number[]> {
  const rows = await query<{ ms: number }>(
    `SELECT DISTINCT (extract(epoch FROM ts) * 1000)::float8 AS ms FROM telemetry_chunks JOIN telemetry_shapes USING (shape_no)
      WHERE device_uid = $1 ORDER BY 1`,
    [uid],
  );
  return rows.map(({ ms }) => ms);
}

/** A time between two hours that are one slice each. */
async function deviceWithHours(): Promise<LargeHour> {
  const { device, sent, hour } = await deviceWithLargeHour(fixture, caller);
  await send(
    device,
    sent,
    [-30, -1, 60, 90].map((minute) => ({ ts: hour + minute * MINUTE, values: { a: minute, b: true } })),
  );
  return { device, sent, hour };
}

test("an hour too large for one chunk is cut into slices, is read exactly, and its day's rows are dropped", async () => {
  const { device, sent, hour } = await deviceWithHours();
  await rollUp(fixture);
  const slices = await slicesOf(device);
  assert.ok(slices.length > 10, `${slices.length} slices`);
  assert.deepEqual(
    slices.filter((start) => start % HOUR === 0),
    [hour - HOUR, hour, hour + HOUR],
  );
  assert.equal((await stored(fixture, device)).rows, 0);
  for (const limit of [1_000, 40]) await assertReads({ fixture, caller }, device, sent, around(hour), limit);
  const inside: [number, number] = [hour + 13 * MINUTE + 7, hour + 31 * MINUTE];
  for (const limit of [1_000, 9]) await assertReads({ fixture, caller }, device, sent, inside, limit);
});

test("late messages of an hour in slices are readable immediately, and join the slice of their time", async () => {
  const { device, sent, hour } = await deviceWithHours();
  await rollUp(fixture);
  const before = await slicesOf(device);
  const late = [0, 1, 2].map((n) => ({ ts: hour + n * 20 * MINUTE + 5, values: { a: n / 3, b: n === 1 } }));
  await send(device, sent, [...late, { ts: hour + 22 * SECOND + 2, values: { a: 0.5, b: true } }]);
  await assertReads({ fixture, caller }, device, sent, around(hour), 50);
  await rollUp(fixture);
  assert.deepEqual(await slicesOf(device), before);
  assert.equal((await stored(fixture, device)).rows, 0);
  await assertReads({ fixture, caller }, device, sent, around(hour));
});

test("a slice that receives too many late messages is split, and the others stay", async () => {
  const { device, sent, hour } = await deviceWithHours();
  await rollUp(fixture);
  const before = await slicesOf(device);
  const late = Array.from({ length: 200 }, (_, n) => ({ ts: hour + 20 * MINUTE + n * 7, values: { a: n, d: n } }));
  await send(device, sent, late);
  await rollUp(fixture);
  const then = await slicesOf(device);
  assert.ok(then.length > before.length + 2, `${before.length} slices, then ${then.length}`);
  assert.deepEqual(
    before.filter((start) => !then.includes(start)),
    [],
  );
  await assertReads({ fixture, caller }, device, sent, around(hour), 50);
});

test("an hour of many shapes, one of which has most rows, is cut into few slices", async () => {
  const large = await openTelemetryFixture({ sliceBytes: 100_000 });
  after(() => large.close());
  const caller = await large.tenant();
  const device = await large.device(caller);
  const sent: Sent = new Map();
  const now = large.clock.now().getTime();
  const hour = Math.floor(now / HOUR - 2) * HOUR;
  const dense = Array.from({ length: 3_000 }, (_, n) => ({ ts: hour + n * SECOND, values: { a: n } }));
  const sparse = Array.from({ length: 300 }, (_, n) => ({
    ts: hour + 58 * MINUTE + n,
    values: { [`m${n}`]: n, a: n },
  }));
  // A message has at most 200 metrics.
  const messages = [...dense, ...sparse];
  for (let from = 0; from < messages.length; from += 150) await send(device, sent, messages.slice(from, from + 150));
  large.clock.advance(3 * MINUTE);
  await large.telemetry.rollUp();
  const slices = (await slicesOf(device, large)).length;
  // Its rows take some 200,000 bytes.
  assert.ok(slices >= 2 && slices <= 4, `${slices} slices`);
  const read = new Map([...sent].filter(([metric]) => ["a", "m0", "m299"].includes(metric)));
  await assertReads({ fixture: large, caller }, device, read, around(hour));
});

test("several simultaneous processes lose and double nothing of an hour in slices", async () => {
  const { device, sent, hour } = await deviceWithHours();
  await rollUp(fixture);
  await send(device, sent, [{ ts: hour + 30 * MINUTE, values: { a: 1, b: true } }]);
  fixture.clock.advance(3 * MINUTE);
  const processes = [fixture.telemetry, fixture.anotherProcess()];
  await Promise.all(processes.flatMap((one) => [one.rollUp(), one.retireMessages()]));
  await rollUp(fixture);
  assert.equal((await stored(fixture, device)).rows, 0);
  await assertReads({ fixture, caller }, device, sent, around(hour));
});

test("messages in any order are read the same before and after their hour is cut into slices", async () => {
  const value = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.boolean(), fc.constantFrom("x", "y"));
  const burst = fc.record({
    at: fc.integer({ min: -1, max: 3 }),
    count: fc.integer({ min: 1, max: 120 }),
    step: fc.constantFrom(1, 250, 20_000),
    metrics: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 }),
    value,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(burst, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 20, max: 200 }),
      async (rounds, limit) => {
        const device = await fixture.device(caller);
        const sent: Sent = new Map();
        const start = Math.floor(fixture.clock.now().getTime() / DAY - 4) * DAY + HOUR;
        const range: [number, number] = [start - HOUR, start + 3 * HOUR];
        for (const bursts of rounds) {
          for (const { at, count, step, metrics, value } of bursts) {
            const messages = Array.from({ length: count }, (_, n) => ({
              ts: start + at * 20 * MINUTE + n * step,
              values: Object.fromEntries(
                metrics.map((metric) => [metric, typeof value === "number" ? value + n : value]),
              ),
            }));
            await send(device, sent, messages);
          }
          await assertReads({ fixture, caller }, device, sent, range, limit);
          await rollUp(fixture);
          await assertReads({ fixture, caller }, device, sent, range, limit);
        }
        await assertReads({ fixture, caller }, device, sent, [start + 5 * MINUTE, start + 25 * MINUTE], limit);
        assert.equal((await stored(fixture, device)).rows, 0);
      },
    ),
    { numRuns: onPostgres ? 8 : 2 },
  );
});

if (onPostgres) {
  test("while an hour in slices is computed, messages of other tenants' hours do not wait", async () => {
    const { device, sent, hour } = await deviceWithHours();
    await rollUp(fixture);
    const last = (await slicesOf(device)).findLast((start) => start < hour + HOUR)!;
    const other = await fixture.device(await fixture.tenant());
    await other.publish({ ts: hour, values: { a: 1 } });
    await send(device, sent, [{ ts: last + 1, values: { a: 1, b: true } }]);
    fixture.clock.advance(3 * MINUTE);
    const rolledUp = await fixture.database.db.transaction().execute(async (tx) => {
      await runSql(
        tx,
        "SELECT FROM telemetry_chunks JOIN telemetry_shapes USING (shape_no) WHERE device_uid = $1 AND ts = $2 FOR UPDATE OF telemetry_chunks",
        [device.uid, new Date(last)],
      );
      const rollUp = fixture.telemetry.rollUp();
      while ((await fixture.query(`SELECT FROM pg_locks WHERE NOT granted AND ${OF_THIS_DATABASE}`)).length === 0);
      await other.publish({ ts: hour + 1, values: { a: 2 } });
      return { rollUp };
    });
    await rolledUp.rollUp;
    await rollUp(fixture);
    assert.equal((await stored(fixture, other)).chunks, 1);
    await assertReads({ fixture, caller }, device, sent, around(hour));
  });
}

test("hours that are too much for one transaction take several", async () => {
  const device = await fixture.device(caller);
  const sent: Sent = new Map();
  const first = Math.floor(fixture.clock.now().getTime() / DAY - 3) * DAY;
  const hours = Array.from({ length: 12 }, (_, n) => first + n * HOUR);
  for (const hour of hours) {
    const at = Array.from({ length: 25 }, (_, n) => hour + n * MINUTE);
    await send(
      device,
      sent,
      at.map((ts, n) => ({ ts, values: { a: n } })),
    );
  }
  await rollUp(fixture);
  const [{ chunks, transactions } = { chunks: 0, transactions: 0 }] = await fixture.query<Record<string, number>>(
    `SELECT count(*)::int AS chunks, count(DISTINCT k.xmin::text)::int AS transactions
       FROM telemetry_chunks k JOIN telemetry_shapes USING (shape_no) WHERE device_uid = $1`,
    [device.uid],
  );
  assert.deepEqual([chunks, transactions], [12, 4]);
  await assertReads({ fixture, caller }, device, sent, [first, first + 12 * HOUR], 1_000);
});
