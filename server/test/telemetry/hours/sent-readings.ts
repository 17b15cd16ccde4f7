import assert from "node:assert/strict";
import type { Caller } from "../../../src/access/access.ts";
import { readStoredReadings } from "../../../src/telemetry/telemetry.ts";
import type { TelemetryFixture, TestSender } from "../../harness/telemetry.ts";

export type Value = number | boolean | string;

/** The readings that a device has sent: metric → time → value. */
export type Sent = Map<string, Map<number, Value>>;

export async function send(
  device: TestSender,
  sent: Sent,
  messages: { ts: number; values: Record<string, Value> }[],
): Promise<void> {
  await device.publish(messages);
  for (const { ts, values } of messages) {
    for (const [metric, value] of Object.entries(values)) {
      sent.set(metric, (sent.get(metric) ?? new Map()).set(ts, value));
    }
  }
}

/** The numbers of messages and chunks of the device. */
export async function stored(
  fixture: TelemetryFixture,
  { uid }: TestSender,
): Promise<{ rows: number; chunks: number }> {
  const count = async (table: string) =>
    (await fixture.query(`SELECT FROM ${table} JOIN telemetry_shapes USING (shape_no) WHERE device_uid = $1`, [uid]))
      .length;
  return { rows: await count("telemetry_messages"), chunks: await count("telemetry_chunks") };
}

/** Asserts that pages in both directions and charts contain exactly the readings sent in [from, to). */
export async function assertReads(
  { fixture, caller }: { fixture: TelemetryFixture; caller: Caller },
  device: TestSender,
  sent: Sent,
  [from, to]: [number, number],
  limit = 1_000,
): Promise<void> {
  const range = { from: new Date(from), to: new Date(to) };
  for (const [metric, readings] of sent) {
    const expected = [...readings].filter(([ts]) => ts >= from && ts < to).sort(([a], [b]) => a - b);
    const pages: [number, Value][] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const page = await fixture.telemetry.listReadings(caller, device.id, metric, { ...range, limit, cursor });
      pages.push(...page.items.map(({ at, value }): [number, Value] => [at.getTime(), value]));
      cursor = page.next;
    }
    assert.deepEqual(pages, expected.toReversed(), `pages of ${metric}`);
    const ascending: [number, Value][] = [];
    for (let last = Number.NEGATIVE_INFINITY; ; last = ascending.at(-1)![0] * 1_000) {
      const which = { deviceUid: device.uid, metric, ...range, now: fixture.clock.now(), after: last, limit };
      const page = await readStoredReadings(fixture.database.db, which);
      ascending.push(...page.map(({ time, value }): [number, Value] => [time / 1_000, value]));
      if (page.length < limit) break;
    }
    assert.deepEqual(ascending, expected, `dry run of ${metric}`);
    const least = Math.ceil((to - from) / 1_000 / 2_000);
    // Charts of raw readings if the range is short, of minutes, and of hours.
    for (const seconds of [least < 60 ? least : Math.ceil(least / 3600) * 3600, 1800, 3600]) {
      const { points } = await fixture.telemetry.readSeries(caller, device.id, metric, {
        ...range,
        bucketSeconds: seconds,
      });
      const buckets = Map.groupBy(
        expected.filter(([, value]) => typeof value === "number"),
        ([ts]) => Math.floor(ts / seconds / 1_000) * seconds * 1_000,
      );
      assert.deepEqual(
        points.map(({ at, min, max, count }) => [at.getTime(), min, max, count]),
        [...buckets].map(([at, of]) => {
          const numbers = of.map(([, value]) => Number(value));
          return [at, Math.min(...numbers), Math.max(...numbers), of.length];
        }),
        `chart of ${metric}`,
      );
    }
  }
}
