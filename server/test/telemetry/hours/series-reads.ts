import assert from "node:assert/strict";
import type { Caller } from "../../../src/access/access.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/lib/clock.ts";
import type { SeriesQuery } from "../../../src/telemetry/telemetry.ts";
import type { TelemetryFixture, TestSender } from "../../harness/telemetry.ts";

export type SeriesReads = ReturnType<typeof seriesReads>;

/** Helpers of roll-up tests for the devices of a tenant. */
export function seriesReads(fixture: TelemetryFixture, caller: Caller) {
  /** Computes the series from the stored readings, one by one. */
  async function expectedSeries(device: TestSender, metric: string, { from, to }: SeriesQuery, bucketSeconds: number) {
    const rows = await fixture.query<{ us: string; number: number | null }>(
      `SELECT (extract(epoch FROM ts) * 1000000)::bigint::text AS us, number FROM shared_readings WHERE device_uid = $1 AND metric = $2`,
      [device.uid, metric],
    );
    const inside = rows
      .map(({ us, number }) => ({ ms: Number(us) / 1000, number }))
      .filter(({ ms, number }) => number !== null && ms >= from.getTime() && ms < to.getTime());
    const size = bucketSeconds * SECOND;
    const buckets = Map.groupBy(inside, ({ ms }) => Math.floor(ms / size) * size);
    return [...buckets]
      .sort(([a], [b]) => a - b)
      .map(([at, members]) => {
        const numbers = members.map(({ number }) => number!);
        const [min, max, sum] = [Math.min(...numbers), Math.max(...numbers), numbers.reduce((a, b) => a + b)];
        return { at: new Date(at), min, avg: sum / numbers.length, max, count: numbers.length };
      });
  }

  async function assertSeries(device: TestSender, metric: string, query: SeriesQuery): Promise<void> {
    const { bucketSeconds, points } = await fixture.telemetry.readSeries(caller, device.id, metric, query);
    assert.deepEqual(points, await expectedSeries(device, metric, query, bucketSeconds));
  }

  async function dirtyHours(device: TestSender): Promise<number> {
    return (await fixture.query("SELECT FROM roll_up_marks WHERE device_uid = $1", [device.uid])).length;
  }

  /** Advances the clock until all hours are due, and rolls them up. */
  async function rollUpAll(): Promise<void> {
    await fixture.stored();
    fixture.clock.advance(HOUR + 3 * MINUTE);
    await fixture.telemetry.rollUp();
  }

  return { assertSeries, dirtyHours, rollUpAll };
}
