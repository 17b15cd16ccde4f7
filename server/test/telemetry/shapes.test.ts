/** Shapes: the common part of a device's messages, which is the names and types of their metrics. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { HOUR, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { readStoredReadings } from "../../src/telemetry/telemetry.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "../harness/telemetry.ts";

let fixture: TelemetryFixture;
let caller: Caller;
before(async () => {
  fixture = await openTelemetryFixture();
  caller = await fixture.tenant();
});
after(() => fixture.close());

/** Returns the results of every reader: a page of readings, a dry run, charts of readings and of roll-ups. */
async function assertReadings(
  device: TestSender,
  metric: string,
  expected: [ms: number, value: number][],
): Promise<void> {
  const from = new Date(expected[0]?.[0] ?? fixture.clock.now().getTime());
  // After the minute of the last reading, so that the chart is not read from readings.
  const to = new Date((expected.at(-1)?.[0] ?? from.getTime()) + MINUTE);
  const { items } = await fixture.telemetry.listReadings(caller, device.id, metric, { from, to, limit: 1_000 });
  assert.deepEqual(
    items.map(({ at, value }) => [at.getTime(), value]),
    expected.toReversed(),
  );
  const which = {
    deviceUid: device.uid,
    metric,
    from,
    to,
    after: Number.NEGATIVE_INFINITY,
    now: fixture.clock.now(),
    limit: 1_000,
  };
  assert.deepEqual(
    (await readStoredReadings(fixture.database.db, which)).map(({ time, value }) => [time / 1_000, value]),
    expected,
  );
  for (const bucketSeconds of [30, 60, 3600]) {
    const { points } = await fixture.telemetry.readSeries(caller, device.id, metric, { from, to, bucketSeconds });
    const sum = points.reduce((total, { avg, count }) => total + avg * count, 0);
    assert.equal(
      points.reduce((total, { count }) => total + count, 0),
      expected.length,
    );
    assert.equal(
      Math.round(sum),
      expected.reduce((total, [, value]) => total + value, 0),
    );
  }
}

test("a device that sends its metrics in many combinations has a bounded number of shapes, and every reading is kept", async () => {
  const device = await fixture.device(caller);
  const start = fixture.clock.now().getTime() - HOUR;
  const metrics = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const messages = Array.from({ length: 255 }, (_, n) => ({
    ts: start + n * SECOND,
    values: Object.fromEntries(metrics.filter((_, bit) => (n + 1) & (1 << bit)).map((metric) => [metric, n])),
  }));
  for (const message of messages) await device.publish(message);
  const shapes = await fixture.query<{ metrics: string[] }>(
    "SELECT metrics FROM telemetry_shapes WHERE device_uid = $1",
    [device.uid],
  );
  assert.equal(shapes.filter((shape) => shape.metrics.length > 1).length, 100);
  assert.equal(shapes.length, 108);
  for (const metric of metrics) {
    const expected = messages.filter(({ values }) => metric in values).map(({ ts, values }) => [ts, values[metric]!]);
    await assertReadings(device, metric, expected as [number, number][]);
  }
});

test("metrics in another order have the same shape, and other types or replaced times another one", async () => {
  const device = await fixture.device(caller);
  const sent = [
    { a: 1, b: "x", c: true },
    { c: false, b: "y", a: 2 },
    { a: 1, b: 2, c: true },
  ];
  for (const values of sent) await device.publish(values);
  await device.publish({ ts: 1, values: sent[0] });
  const shapes = await fixture.query(
    "SELECT metrics, kinds, time_replaced AS replaced FROM telemetry_shapes WHERE device_uid = $1 ORDER BY shape_no",
    [device.uid],
  );
  assert.deepEqual(shapes, [
    { metrics: ["a", "c", "b"], kinds: "nbt", replaced: false },
    { metrics: ["a", "b", "c"], kinds: "nnb", replaced: false },
    { metrics: ["a", "c", "b"], kinds: "nbt", replaced: true },
  ]);
  const query = { from: new Date(0), to: new Date(fixture.clock.now().getTime() + HOUR) };
  const { items } = await fixture.telemetry.listReadings(caller, device.id, "b", query);
  assert.deepEqual(
    items.map(({ value, timeReplaced }) => [value, timeReplaced]),
    [
      ["x", true],
      [2, false],
      ["y", false],
      ["x", false],
    ],
  );
});
