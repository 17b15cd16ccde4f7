import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY, HOUR, MINUTE } from "../../src/lib/clock.ts";
import { readStoredReadings } from "../../src/telemetry/telemetry.ts";
import { onPostgres } from "../harness/database/database.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "../harness/telemetry.ts";

let fixture: TelemetryFixture;
before(async () => {
  fixture = await openTelemetryFixture();
});
after(() => fixture.close());

/** Returns the partitions of a device's messages: name → number of readings. */
async function partitionsOf(device: TestSender): Promise<Record<string, number>> {
  const rows = await fixture.query<{ name: string; rows: number }>(
    `SELECT m.tableoid::regclass::text AS name, sum(cardinality(s.metrics))::integer AS rows
       FROM telemetry_shapes s JOIN telemetry_messages m USING (shape_no) WHERE s.device_uid = $1 GROUP BY 1 ORDER BY 1`,
    [device.uid],
  );
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]));
}

function partition(retentionDays: number, at: number): string {
  return `telemetry_messages_${retentionDays}_${new Date(at).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

async function partitions(): Promise<string[]> {
  const rows = await fixture.query<{ name: string }>(
    "SELECT relid::regclass::text AS name FROM pg_partition_tree('telemetry_messages') WHERE isleaf AND level = 2",
  );
  return rows.map(({ name }) => name);
}

async function setRetention(slug: string, days: number): Promise<void> {
  const { access } = fixture.features;
  await access.setTelemetryRetention(await access.systemCaller(slug), days);
}

/** Publishes until the row is in that partition: the process is notified of a retention some time after it was set. */
async function publishInto(device: TestSender, payload: unknown, name: string): Promise<void> {
  do await device.publish(payload);
  while ((await partitionsOf(device))[name] === undefined);
}

test("a reading is stored in its day's partition, to the microsecond and in UTC, in any order", async () => {
  const device = await fixture.device(await fixture.tenant());
  const now = fixture.clock.now().getTime();
  const midnight = Math.floor(now / DAY) * DAY;
  const times = [midnight, midnight - 1, midnight - 29 * DAY, now + 9 * MINUTE, midnight - 10 * DAY];
  await device.publish(times.map((ts) => ({ ts, values: { a: 1, b: 2 } })));
  const expected: Record<string, number> = {};
  for (const ts of times) expected[partition(90, ts)] = (expected[partition(90, ts)] ?? 0) + 2;
  assert.deepEqual(await partitionsOf(device), Object.fromEntries(Object.entries(expected).sort()));
});

test("two processes that first store a day create one partition and lose no reading", async () => {
  const caller = await fixture.tenant();
  const devices = await Promise.all(Array.from({ length: 6 }, () => fixture.device(caller)));
  const now = fixture.clock.now().getTime();
  const [one, two] = [fixture.anotherProcess(), fixture.anotherProcess()];
  for (const ago of [20, 21, 22]) {
    const ts = now - ago * DAY;
    await Promise.all(devices.map((device, n) => device.publish({ ts, values: { a: n } }, n % 2 ? one : two)));
    for (const device of devices) assert.equal((await partitionsOf(device))[partition(90, ts)], 1);
  }
});

test("a tenant's retention applies to later readings of that tenant only", async () => {
  const [short, other] = [await fixture.tenant(), await fixture.tenant()];
  const [device, neighbour] = [await fixture.device(short), await fixture.device(other)];
  const ts = fixture.clock.now().getTime();
  await device.publish({ ts: ts - 1, values: { before: 1 } });
  await setRetention(short.tenantSlug, 7);
  await publishInto(device, { ts, values: { after: 1 } }, partition(7, ts));
  await Promise.all([device.publish({ ts, values: { more: 1 } }), neighbour.publish({ ts, values: { more: 1 } })]);
  assert.equal((await partitionsOf(device))[partition(7, ts)], 2);
  assert.deepEqual(Object.keys(await partitionsOf(neighbour)), [partition(90, ts)]);
});

test("a reading that is sent again under another retention is read once, with its last value", async () => {
  const caller = await fixture.tenant();
  const device = await fixture.device(caller);
  const now = fixture.clock.now().getTime();
  const start = Math.floor(now / HOUR - 2) * HOUR;
  const send = (value: number) =>
    device.publish(Array.from({ length: 5 }, (_, at) => ({ ts: start + at, values: { a: value + at } })));
  await send(0);
  await setRetention(caller.tenantSlug, 30);
  await publishInto(device, { ts: now, values: { other: 1 } }, partition(30, now));
  await send(10);
  const [from, to] = [new Date(start), new Date(start + HOUR)];
  const values: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await fixture.telemetry.listReadings(caller, device.id, "a", { from, to, limit: 2, cursor });
    values.push(...page.items.map(({ value }) => value));
    cursor = page.next;
  } while (cursor);
  assert.deepEqual(values, [14, 13, 12, 11, 10]);
  const which = {
    deviceUid: device.uid,
    metric: "a",
    from,
    to,
    after: Number.NEGATIVE_INFINITY,
    now: fixture.clock.now(),
    limit: 3,
  };
  assert.deepEqual(
    (await readStoredReadings(fixture.database.db, which)).map(({ value }) => value),
    [10, 11, 12],
  );
  const assertCharts = async () => {
    for (const bucketSeconds of [60, 3600]) {
      const { points } = await fixture.telemetry.readSeries(caller, device.id, "a", { from, to, bucketSeconds });
      assert.deepEqual(points, [{ at: from, min: 10, avg: 12, max: 14, count: 5 }]);
    }
  };
  await assertCharts();
  fixture.clock.advance(3 * MINUTE);
  await fixture.telemetry.rollUp();
  await assertCharts();
});

test("minutes have readings of each retention, including the shorter one that they were stored under first", async () => {
  const caller = await fixture.tenant();
  await setRetention(caller.tenantSlug, 7);
  const device = await fixture.device(caller);
  const start = Math.floor(fixture.clock.now().getTime() / HOUR - 2) * HOUR;
  const sendUnder = async (days: number, reading: { ts: number; values: { a: number } }) => {
    const now = fixture.clock.now().getTime();
    await publishInto(device, { ts: now, values: { other: 1 } }, partition(days, now));
    await device.publish(reading);
  };
  await sendUnder(7, { ts: start, values: { a: 1 } });
  fixture.clock.advance(3 * MINUTE);
  await fixture.telemetry.rollUp();
  await setRetention(caller.tenantSlug, 90);
  for (let day = 0; day < 8; day++) fixture.clock.advance(DAY);
  await sendUnder(90, { ts: start + MINUTE, values: { a: 2 } });
  fixture.clock.advance(3 * MINUTE);
  await fixture.telemetry.rollUp();
  const [from, to] = [new Date(start), new Date(start + HOUR)];
  const { points } = await fixture.telemetry.readSeries(caller, device.id, "a", { from, to, bucketSeconds: 60 });
  assert.deepEqual(
    points.map(({ at, max }) => [at.getTime() - start, max]),
    [
      [0, 1],
      [MINUTE, 2],
    ],
  );
});

test("a reading past its tenant's retention is acknowledged but not stored, and the rest of its message is", async () => {
  const caller = await fixture.tenant();
  await setRetention(caller.tenantSlug, 7);
  const device = await fixture.device(caller);
  const now = fixture.clock.now().getTime();
  const [old, kept] = [now - 8 * DAY, now - 6 * DAY];
  await publishInto(device, { ts: kept, values: { a: 1 } }, partition(7, kept));
  await device.publish([old, kept].map((ts) => ({ ts, values: { b: ts } })));
  await device.publish({ ts: old, values: { c: 3 } });
  const rows = await fixture.query(
    "SELECT metric, number FROM shared_readings WHERE device_uid = $1 AND retention_days = 7 ORDER BY metric",
    [device.uid],
  );
  assert.deepEqual(rows, [
    { metric: "a", number: 1 },
    { metric: "b", number: kept },
  ]);
  const latest = await fixture.telemetry.listLatest(caller, device.id);
  assert.deepEqual(
    latest.map(({ metric, value }) => [metric, value]),
    [
      ["a", 1],
      ["b", kept],
      ["c", 3],
    ],
  );
});

test("only the known retentions can be set, and only for an existing tenant", async () => {
  const { tenantSlug } = await fixture.tenant();
  for (const days of [0, 1, 89, 3650, Number.NaN, 7.5])
    await assert.rejects(setRetention(tenantSlug, days), /730 days/);
  await assert.rejects(setRetention("nobody", 30), /no such tenant/);
});

test("maintenance creates the next days, drops the expired ones, and keeps the others", async () => {
  const caller = await fixture.tenant();
  await setRetention(caller.tenantSlug, 7);
  const device = await fixture.device(caller);
  const start = fixture.clock.now().getTime();
  await publishInto(device, { ts: start, values: { a: 1 } }, partition(7, start));
  const neighbour = await fixture.device(await fixture.tenant());
  await neighbour.publish({ ts: start, values: { a: 1 } });
  await fixture.telemetry.maintainPartitions();
  for (const days of [7, 90])
    for (const ahead of [0, 1, 2]) assert.ok((await partitions()).includes(partition(days, start + ahead * DAY)));

  for (let day = 0; day < 7; day++) fixture.clock.advance(DAY);
  await fixture.telemetry.maintainPartitions();
  assert.equal((await partitionsOf(device))[partition(7, start)], 1, "readings seven days old stay");
  fixture.clock.advance(2 * DAY);
  await Promise.all([fixture.telemetry.maintainPartitions(), fixture.anotherProcess().maintainPartitions()]);
  assert.equal((await partitionsOf(device))[partition(7, start)], undefined);
  assert.ok(!(await partitions()).includes(partition(7, start)));
  assert.deepEqual(Object.keys(await partitionsOf(neighbour)), [partition(90, start)]);
});

test("the partition of a day that was dropped is created again by the next message of that day", async () => {
  const device = await fixture.device(await fixture.tenant());
  const ts = fixture.clock.now().getTime();
  await device.publish({ ts, values: { a: 1 } });
  await fixture.query(`DROP TABLE ${partition(90, ts)}`);
  await Promise.all([device.publish({ ts, values: { b: 1 } }), device.publish("not json")]);
  assert.deepEqual(await partitionsOf(device), { [partition(90, ts)]: 1 });
});

if (onPostgres) {
  test("a drop yields to a transaction that uses the partition, and succeeds the next time", async () => {
    const device = await fixture.device(await fixture.tenant());
    const ts = fixture.clock.now().getTime();
    await device.publish({ ts, values: { a: 1 } });
    fixture.clock.advance(93 * DAY + HOUR);
    await fixture.database.db.transaction().execute(async (tx) => {
      await tx.selectFrom("telemetry_messages").select("ts").execute();
      await fixture.telemetry.maintainPartitions();
      assert.equal((await partitionsOf(device))[partition(90, ts)], 1);
      await device.publish({ b: 1 });
    });
    await fixture.telemetry.maintainPartitions();
    assert.deepEqual(Object.keys(await partitionsOf(device)), [partition(90, fixture.clock.now().getTime())]);
  });
}
