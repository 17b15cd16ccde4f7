import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import type { Caller } from "../../../src/access/access.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { onPostgres } from "../../harness/database/database.ts";
import type { TelemetryFixture, TestSender } from "../../harness/telemetry.ts";
import { type SeriesReads, seriesReads } from "./series-reads.ts";

/**
 * Declares the tests of charts over rolled-up messages, for direct storage and the stream.
 * @param runs of the property
 */
export function rollUpRules(given: () => TelemetryFixture, runs: number): void {
  let fixture: TelemetryFixture;
  let caller: Caller;
  let reads: SeriesReads;
  before(async () => {
    fixture = given();
    caller = await fixture.tenant();
    reads = seriesReads(fixture, caller);
  });

  test("a series equals its readings, with late and overwritten readings and roll-ups in between", async () => {
    const start = fixture.clock.now().getTime() - 20 * HOUR;
    const reading = fc.record(
      {
        ts: fc.integer({ min: 0, max: 5 * HOUR }).map((ms) => start + ms - (ms % 7) * 1000),
        values: fc.record({ a: fc.oneof(fc.integer({ min: -999, max: 999 }), fc.constant("text")), b: fc.nat(9) }),
      },
      { noNullPrototype: true },
    );
    const message = fc.array(reading, { minLength: 1, maxLength: 12 });
    const step = fc.oneof({ weight: 3, arbitrary: message }, { weight: 1, arbitrary: fc.constant("roll up" as const) });
    const query = fc.record({
      from: fc.integer({ min: -HOUR, max: 3 * HOUR }).map((ms) => new Date(start + ms)),
      length: fc.integer({ min: 1, max: 4 * HOUR }),
      bucketSeconds: fc.constantFrom(30, 60, 300, 420, 3600, 7200),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 10 }),
        fc.array(query, { minLength: 2, maxLength: 2 }),
        async (steps, queries) => {
          const device = await fixture.device(caller);
          for (const each of steps) {
            if (each === "roll up") {
              fixture.clock.advance(3 * MINUTE);
              await fixture.telemetry.rollUp();
            } else await device.publish(each.map(({ ts, values }) => ({ ts, values: { ...values } })));
          }
          for (const { from, length, bucketSeconds } of queries)
            for (const metric of ["a", "b"])
              await reads.assertSeries(device, metric, { from, to: new Date(from.getTime() + length), bucketSeconds });
        },
      ),
      { numRuns: runs },
    );
  });

  test("the current hour is read from its readings, and rolled up two minutes after its end", async () => {
    const device = await fixture.device(caller);
    const hour = Math.ceil(fixture.clock.now().getTime() / HOUR) * HOUR;
    fixture.clock.advance(hour - fixture.clock.now().getTime());
    const query = { from: new Date(hour), to: new Date(hour + DAY), bucketSeconds: 3600 };
    for (const n of [1, 2, 6]) {
      fixture.clock.advance(MINUTE);
      await device.publish({ a: n });
    }
    const { points } = await fixture.telemetry.readSeries(caller, device.id, "a", query);
    assert.deepEqual(points, [{ at: new Date(hour), min: 1, avg: 3, max: 6, count: 3 }]);
    fixture.clock.advance(58 * MINUTE);
    await fixture.telemetry.rollUp();
    assert.equal(await reads.dirtyHours(device), 1);
    fixture.clock.advance(MINUTE);
    await fixture.telemetry.rollUp();
    assert.equal(await reads.dirtyHours(device), 0);
    assert.deepEqual((await fixture.telemetry.readSeries(caller, device.id, "a", query)).points, points);
  });

  if (onPostgres) {
    test("several processes store and roll up simultaneously, and every reading is in the series in the end", async () => {
      const devices = await Promise.all(Array.from({ length: 8 }, () => fixture.device(caller)));
      const processes = [fixture.atOnce, fixture.anotherProcess(), fixture.anotherProcess()];
      const start = fixture.clock.now().getTime() - 3 * HOUR;
      let storing = true;
      const store = async (device: TestSender, which: number) => {
        for (let n = 0; n < 120; n++)
          await device.publish({ ts: start + n * 30 * SECOND + which, values: { a: n } }, processes[(n + which) % 3]!);
      };
      const stored = Promise.all(devices.map(store)).finally(() => {
        storing = false;
      });
      let computed = 0;
      const compute = async (which: number) => {
        for (; storing; computed++) {
          fixture.clock.advance(3 * MINUTE);
          await processes[which]!.rollUp();
        }
      };
      await Promise.all([stored, compute(0), compute(1)]);
      await reads.rollUpAll();
      assert.ok(computed > 10, "storing and rolling up hardly overlapped");
      const query = { from: new Date(start - HOUR), to: new Date(start + 3 * HOUR), bucketSeconds: 3600 };
      for (const device of devices) {
        assert.equal(await reads.dirtyHours(device), 0);
        await reads.assertSeries(device, "a", query);
      }
    });
  }
}
