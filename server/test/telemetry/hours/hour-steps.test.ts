import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import fc from "fast-check";
import type { Caller } from "../../../src/access/access.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { testFeatures } from "../../harness/features.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "../../harness/telemetry.ts";
import { around, deviceWithLargeHour, rollUp, SLICE_BYTES } from "./large-hour.ts";
import { assertReads, send, stored } from "./sent-readings.ts";
import { atNoon } from "./suite-chunks.ts";

let fixture: TelemetryFixture;
let caller: Caller;
before(async () => {
  fixture = await openTelemetryFixture({ sliceBytes: SLICE_BYTES });
  caller = await fixture.tenant();
});
beforeEach(() => atNoon(fixture));
after(() => fixture.close());

/** Runs another process that stops after this many turns, each of which takes a second. */
async function rollUpTurns(turns: number): Promise<void> {
  const stop = new AbortController();
  let calls = 0;
  const monotonicMs = () => {
    // It reads the clock at the beginning and at the end of a turn.
    if (++calls === 2 * turns) stop.abort();
    return calls * SECOND;
  };
  const { database, clock } = fixture;
  const { telemetry } = testFeatures({
    database,
    sliceBytes: SLICE_BYTES,
    clock: { now: () => clock.now(), monotonicMs },
  });
  calls = 0;
  await telemetry.rollUp(stop.signal);
}

/**
 * Up to where the hour is computed, in milliseconds; undefined if it has no mark, null if it is not computed in steps.
 */
async function doneTo({ uid }: TestSender): Promise<number | null | undefined> {
  const [mark] = await fixture.query<{ ms: number | null }>(
    "SELECT (extract(epoch FROM done_to) * 1000)::float8 AS ms FROM roll_up_marks WHERE device_uid = $1",
    [uid],
  );
  return mark?.ms;
}

test("a large hour is computed in several transactions, is read exactly between two, and another process continues", async () => {
  const { device, sent, hour } = await deviceWithLargeHour(fixture, caller);
  fixture.clock.advance(3 * MINUTE);
  await rollUpTurns(2);
  const first = await doneTo(device);
  assert.ok(first && first > hour && first < hour + HOUR, `done to ${first}`);
  await assertReads({ fixture, caller }, device, sent, around(hour), 50);
  await rollUpTurns(2);
  assert.ok((await doneTo(device))! > first);
  await assertReads({ fixture, caller }, device, sent, around(hour), 50);
  await fixture.telemetry.rollUp();
  assert.equal(await doneTo(device), undefined);
  await assertReads({ fixture, caller }, device, sent, around(hour));
  await rollUp(fixture);
  assert.equal((await stored(fixture, device)).rows, 0);
  await assertReads({ fixture, caller }, device, sent, around(hour));
});

test("a message stored between two steps, before or after their position, is finally in a chunk", async () => {
  const { device, sent, hour } = await deviceWithLargeHour(fixture, caller);
  fixture.clock.advance(3 * MINUTE);
  await rollUpTurns(2);
  const done = (await doneTo(device))!;
  await send(device, sent, [
    { ts: hour + 5, values: { a: 1_000, b: true } },
    { ts: done + 5, values: { a: 2_000, b: true } },
  ]);
  await fixture.telemetry.rollUp();
  assert.equal(await doneTo(device), null, "the hour stays marked");
  await assertReads({ fixture, caller }, device, sent, around(hour));
  fixture.clock.advance(3 * MINUTE);
  await fixture.telemetry.rollUp();
  assert.equal(await doneTo(device), undefined);
  await rollUp(fixture);
  assert.equal((await stored(fixture, device)).rows, 0);
  await assertReads({ fixture, caller }, device, sent, around(hour));
});

test("a step that ends within a former chunk loses nothing of its rest", async () => {
  const { device, sent, hour } = await deviceWithLargeHour(fixture, caller);
  await rollUp(fixture);
  assert.equal((await stored(fixture, device)).rows, 0);
  const late = Array.from({ length: 300 }, (_, n) => ({ ts: hour + 3 * SECOND + n, values: { a: n, b: true } }));
  await send(device, sent, late);
  fixture.clock.advance(3 * MINUTE);
  await rollUpTurns(2);
  assert.ok((await doneTo(device))! < hour + 4 * SECOND);
  await assertReads({ fixture, caller }, device, sent, around(hour), 100);
  await rollUp(fixture);
  assert.equal((await stored(fixture, device)).rows, 0);
  await assertReads({ fixture, caller }, device, sent, around(hour), 100);
});

test("large hours of one tenant are computed one by one, in half of the time while hours of others are due", async () => {
  const large = [await deviceWithLargeHour(fixture, caller), await deviceWithLargeHour(fixture, caller)];
  const small = await fixture.device(await fixture.tenant());
  const start = Math.floor(fixture.clock.now().getTime() / HOUR - 100) * HOUR;
  await small.publish(Array.from({ length: 100 }, (_, n) => ({ ts: start + n * HOUR, values: { a: n } })));
  const due = async ({ uid }: TestSender) =>
    (await fixture.query("SELECT FROM roll_up_marks WHERE device_uid = $1", [uid])).length;
  fixture.clock.advance(3 * MINUTE);
  // The first turn claims ten hours of each tenant, the next one twenty.
  await rollUpTurns(4);
  assert.equal(await due(small), 70);
  const done = await Promise.all(large.map(async ({ device, hour }) => (await doneTo(device))! - hour));
  assert.equal(done.filter((ms) => ms > 0).length, 1, `steps have been taken of ${done}`);
  await fixture.telemetry.rollUp();
  assert.equal(await due(small), 0);
  for (const { device, sent, hour } of large) {
    assert.equal(await due(device), 0);
    await assertReads({ fixture, caller }, device, sent, around(hour));
  }
});

test("whatever is sent between steps, and whenever the day's rows are dropped, nothing is lost or doubled", async () => {
  const burst = fc.record({
    at: fc.integer({ min: 0, max: 59 }),
    count: fc.integer({ min: 1, max: 150 }),
    step: fc.constantFrom(1, 250, 5_000),
    metrics: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 }),
    value: fc.oneof(fc.integer({ min: -9, max: 9 }), fc.boolean(), fc.constantFrom("x", "y")),
  });
  const round = fc.record({ bursts: fc.array(burst, { maxLength: 2 }), turns: fc.nat(4), retire: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 5 }), async (rounds) => {
      const { device, sent, hour } = await deviceWithLargeHour(fixture, caller);
      for (const { bursts, turns, retire } of rounds) {
        for (const { at, count, step, metrics, value } of bursts) {
          const messages = Array.from({ length: count }, (_, n) => ({
            ts: hour + at * MINUTE + n * step,
            values: Object.fromEntries(
              metrics.map((metric) => [metric, typeof value === "number" ? value + n : value]),
            ),
          }));
          await send(device, sent, messages);
        }
        fixture.clock.advance(2 * MINUTE);
        if (turns > 0) await rollUpTurns(turns);
        if (retire) await fixture.telemetry.retireMessages();
        await assertReads({ fixture, caller }, device, sent, around(hour), 100);
      }
      await rollUp(fixture);
      await rollUp(fixture);
      assert.equal(await doneTo(device), undefined);
      assert.equal((await stored(fixture, device)).rows, 0);
      await assertReads({ fixture, caller }, device, sent, around(hour), 100);
    }),
    { numRuns: onPostgres ? 8 : 2 },
  );
});
