/**
 * Readings as processes before schema 60 stored them, a row each, beside messages of this version. The statements of the earlier version stand here as
 * it sent them.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { Caller } from "../src/access/access.ts";
import { openEmbedded } from "../src/db/embedded/embedded.ts";
import { migrate } from "../src/db/migrate.ts";
import { openPostgres } from "../src/db/postgres.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../src/lib/clock.ts";
import { createLogger } from "../src/lib/logger.ts";
import { readStoredReadings } from "../src/telemetry/telemetry.ts";
import { bareDatabase, onPostgres, PATIENT } from "./harness/database.ts";
import { runSql } from "./harness/run-sql.ts";
import { type TelemetryFixture, type TestSender, telemetryFixtureOn } from "./harness/telemetry.ts";

const EARLIER_SCHEMA = 59;
const BEFORE_UID = "01890000-0000-7000-8000-0000000000aa";

let fixture: TelemetryFixture;
let caller: Caller;
before(async () => {
  const { url, snapshot, remove } = await bareDatabase();
  const logger = createLogger("silent");
  const database = url
    ? await openPostgres(url, { timeLimits: PATIENT, logger })
    : await openEmbedded({ dataDir: "memory", snapshot, sync: false, logger });
  await migrate(database, EARLIER_SCHEMA);
  const at = new Date(Math.floor(Date.now() / HOUR - 2) * HOUR);
  const query: TelemetryFixture["query"] = (statement, parameters = []) => runSql(database.db, statement, parameters);
  await store(query, BEFORE_UID, at, { a: 1 });
  await query(
    `INSERT INTO device_latest (device_uid, metrics, kinds, version, seen_at, ts, received_at, written, numbers)
     VALUES ($1, '{a}', 'n', 1, $2, $2, $2, pg_current_xact_id(), '{1}')`,
    [BEFORE_UID, at],
  );
  await migrate(database);
  fixture = telemetryFixtureOn({ ...database, url, remove });
  caller = await fixture.tenant();
});
after(() => fixture.close());

/** As a process of an earlier version stores a message. */
async function store(
  query: TelemetryFixture["query"],
  deviceUid: string,
  at: Date,
  values: Record<string, number>,
): Promise<void> {
  await query("SELECT make_telemetry_day(90::smallint, $1::date)", [at.toISOString().slice(0, 10)]);
  await query(
    `INSERT INTO telemetry (device_uid, metric, ts, number, received_at, time_replaced, retention_days)
     SELECT $1, key, $3, value::float8, $3, false, 90 FROM json_each_text($2::json)
     ON CONFLICT (device_uid, metric, ts, retention_days) DO UPDATE SET number = excluded.number`,
    [deviceUid, JSON.stringify(values), at],
  );
  await query(
    `INSERT INTO roll_up_marks AS k (device_uid, hour, due_at) VALUES ($1, date_bin('1 hour', $2::timestamptz, 'epoch'), $2)
     ON CONFLICT (device_uid, hour) DO UPDATE SET due_at = k.due_at WHERE false`,
    [deviceUid, at],
  );
}

/** The hours that a process of an earlier version would compute, at any time. */
function hoursOfEarlier(): Promise<unknown[]> {
  return fixture.query("SELECT FROM roll_up_marks WHERE due_at <= '2100-01-01'");
}

/** What every reader has: a page of readings, a dry run, charts of readings and of roll-ups. */
async function assertReadings(
  device: TestSender,
  metric: string,
  expected: [ms: number, value: number][],
): Promise<void> {
  const from = new Date(expected[0]?.[0] ?? fixture.clock.now().getTime());
  // Behind the minute of the last, so that it is not read from its readings.
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

test("hours that were marked before the upgrade are computed by this version alone", async () => {
  assert.deepEqual(await hoursOfEarlier(), []);
  const marks = "SELECT FROM roll_up_marks WHERE device_uid = $1";
  assert.equal((await fixture.query(marks, [BEFORE_UID])).length, 1);
  await fixture.telemetry.rollUp();
  assert.equal((await fixture.query(marks, [BEFORE_UID])).length, 0);
  const computed = await fixture.query("SELECT metric, readings FROM telemetry_hour WHERE device_uid = $1", [
    BEFORE_UID,
  ]);
  assert.deepEqual(computed, [{ metric: "a", readings: 1 }]);
});

test("readings of both versions are read together, each once, in whatever order they are stored and rolled up", async () => {
  const start = Math.floor(fixture.clock.now().getTime() / HOUR - 5) * HOUR;
  const values = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.nat(99), { minKeys: 1 });
  const message = fc.record(
    { isEarlier: fc.boolean(), at: fc.nat(5).map((n) => start + n * 20 * MINUTE), values },
    { noNullPrototype: true },
  );
  const step = fc.oneof({ weight: 4, arbitrary: message }, { weight: 1, arbitrary: fc.constant("roll up" as const) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const device = await fixture.device(caller);
      await device.publish({ ts: start - DAY, values: { a: 0, b: 0, c: 0 } });
      const stored = new Map<string, { isEarlier: boolean; metric: string; at: number; value: number }>();
      for (const each of steps) {
        if (each === "roll up") {
          fixture.clock.advance(3 * MINUTE);
          await fixture.telemetry.rollUp();
          continue;
        }
        const { isEarlier, at } = each;
        if (isEarlier) await store(fixture.query, device.uid, new Date(at), { ...each.values });
        else await device.publish({ ts: at, values: { ...each.values } });
        for (const [metric, value] of Object.entries(each.values)) {
          const key = `${metric} ${at}`;
          // What this version has stored counts: an earlier one that stores it again has not seen that.
          if (!isEarlier || stored.get(key)?.isEarlier !== false) stored.set(key, { isEarlier, metric, at, value });
        }
      }
      for (const metric of ["a", "b", "c"]) {
        const expected = [...stored.values()].filter((reading) => reading.metric === metric);
        expected.sort((a, b) => a.at - b.at);
        await assertReadings(
          device,
          metric,
          expected.map(({ at, value }) => [at, value]),
        );
      }
      assert.deepEqual(await hoursOfEarlier(), []);
    }),
    { numRuns: onPostgres ? 30 : 10 },
  );
});

test("a device that sends its metrics in many combinations has a bounded number of shapes, and every reading is there", async () => {
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

test("metrics in another order are of the same shape, with other types or replaced times of another", async () => {
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

test("telemetry of a deleted device is deleted in both forms, and expired readings are dropped in both", async () => {
  const [device, other] = [await fixture.device(caller), await fixture.device(caller)];
  const at = fixture.clock.now();
  for (const { uid, publish } of [device, other]) {
    await store(fixture.query, uid, at, { a: 1 });
    await publish({ ts: at.getTime() - 1, values: { a: 1 } });
  }
  await fixture.features.enrollment.deleteDevice(caller, device.id);
  const count = async ({ uid }: TestSender) =>
    (await fixture.query("SELECT FROM shared_readings WHERE device_uid = $1", [uid])).length;
  fixture.clock.advance(MINUTE);
  await fixture.telemetry.deleteTelemetry();
  assert.deepEqual([await count(device), await count(other)], [0, 2]);
  for (let day = 0; day < 92; day++) fixture.clock.advance(DAY);
  await fixture.telemetry.maintainPartitions();
  assert.equal(await count(other), 0);
  const left = await fixture.query(
    `SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^telemetry_(messages_|minute_)?90_' AND relname ~ $1`,
    [`${at.toISOString().slice(0, 10).replaceAll("-", "")}$`],
  );
  assert.deepEqual(left, []);
});
