/** Per-minute values, which charts read, stored with the chunks of their hours. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import fc from "fast-check";
import type { Caller } from "../../../src/access/access.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "../../harness/telemetry.ts";
import { type SeriesReads, seriesReads } from "./series-reads.ts";
import { atNoon } from "./suite-chunks.ts";

const METRICS = ["a", "b"];

let fixture: TelemetryFixture;
let caller: Caller;
let reads: SeriesReads;
before(async () => {
  fixture = await openTelemetryFixture();
  caller = await fixture.tenant();
  reads = seriesReads(fixture, caller);
});
beforeEach(() => atNoon(fixture));
after(() => fixture.close());

/** Returns how many chunks of the device have minutes. */
async function chunksWithMinutes({ uid }: TestSender): Promise<number> {
  const chunks = await fixture.query(
    `SELECT FROM telemetry_chunks JOIN telemetry_shapes USING (shape_no) WHERE device_uid = $1 AND minutes IS NOT NULL`,
    [uid],
  );
  return chunks.length;
}

/** Returns the charts of a device in multiples of a minute, over five hours. */
async function charts(device: TestSender, start: number) {
  const all = [];
  for (const metric of METRICS)
    for (const bucketSeconds of [60, 420, 1800]) {
      const query = {
        from: new Date(start - 90 * SECOND),
        to: new Date(start + 5 * HOUR + 90 * SECOND),
        bucketSeconds,
      };
      all.push((await fixture.telemetry.readSeries(caller, device.id, metric, query)).points);
    }
  return all;
}

async function assertCharts(device: TestSender, start: number): Promise<void> {
  for (const metric of METRICS)
    for (const [bucketSeconds, from, to] of [
      [60, 0, 5 * HOUR],
      [60, 30 * MINUTE, 2 * HOUR + 10 * MINUTE],
      [420, 10 * MINUTE, 5 * HOUR],
      [1800, -HOUR, 3 * HOUR + MINUTE],
      [2400, -HOUR, 5 * HOUR],
    ] as const)
      await reads.assertSeries(device, metric, {
        from: new Date(start + from),
        to: new Date(start + to),
        bucketSeconds,
      });
}

/**
 * Creates a device with a reading every five seconds in one hour, every minute in the next, and a single one in
 * another.
 */
async function deviceWithHours(): Promise<{ device: TestSender; start: number }> {
  const device = await fixture.device(caller);
  const start = Math.floor(fixture.clock.now().getTime() / HOUR - 6) * HOUR;
  const send = (from: number, count: number, every: number) =>
    device.publish(
      Array.from({ length: count }, (_, n) => {
        return { ts: start + from + n * every, values: { a: n % 17, b: (n % 5) / 4, c: "x" } };
      }),
    );
  // A message with more values is stored in parts, some of which have other shapes.
  for (let minute = 0; minute < 60; minute += 5) await send(minute * MINUTE, 60, 5 * SECOND);
  await send(HOUR, 60, MINUTE);
  await send(3 * HOUR, 1, MINUTE);
  return { device, start };
}

test("a chart in minutes is the same before and after its hours are in chunks", async () => {
  const { device, start } = await deviceWithHours();
  const before = await charts(device, start);
  await reads.rollUpAll();
  assert.equal(await chunksWithMinutes(device), 3);
  assert.deepEqual(await charts(device, start), before);
});

test("a late message is in the chart before and after its hour is computed again", async () => {
  const { device, start } = await deviceWithHours();
  await reads.rollUpAll();
  await device.publish({ ts: start + HOUR + 90 * SECOND, values: { a: -1 } });
  await assertLate();
  await reads.rollUpAll();
  await assertLate();

  async function assertLate(): Promise<void> {
    const query = { from: new Date(start + HOUR), to: new Date(start + 3 * HOUR), bucketSeconds: 60 };
    const { points } = await fixture.telemetry.readSeries(caller, device.id, "a", query);
    assert.deepEqual(points[1], { at: new Date(start + HOUR + MINUTE), min: -1, avg: 0, max: 1, count: 2 });
    assert.equal(points.length, 60);
  }
});

test("whatever is sent, and whenever it is rolled up, charts in minutes equal the readings", async () => {
  const values = fc.oneof(
    fc.record({ a: fc.oneof(fc.integer({ min: -999, max: 999 }), fc.constantFrom("text", true)), b: fc.nat(9) }),
    fc.record({ a: fc.nat(9) }),
    fc.record({ a: fc.nat(9), c: fc.nat(9) }),
  );
  // There are few times, so that messages of several shapes share them.
  const reading = fc.record({ at: fc.nat(40).map((n) => n * 7 * MINUTE + (n % 3) * SECOND), values });
  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.array(reading, { minLength: 1, maxLength: 12 }) },
      { weight: 2, arbitrary: fc.constant("roll up" as const) },
    ),
    { minLength: 2, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const device = await fixture.device(caller);
      const start = Math.floor(fixture.clock.now().getTime() / HOUR - 6) * HOUR;
      for (const step of [...all, "roll up"] as const) {
        if (step === "roll up") await reads.rollUpAll();
        else await device.publish(step.map(({ at, values }) => ({ ts: start + at, values: { ...values } })));
        await assertCharts(device, start);
      }
    }),
    { numRuns: onPostgres ? 40 : 10 },
  );
});
