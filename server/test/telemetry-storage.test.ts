import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccess } from "../src/access/access.ts";
import { DAY, HOUR, MINUTE } from "../src/lib/clock.ts";
import { randomIds } from "../src/lib/ids.ts";
import { createLogger } from "../src/lib/logger.ts";
import { onPostgres } from "./harness/database.ts";
import { openTelemetry, type TelemetryBench, type TestSender } from "./harness/telemetry.ts";

let bench: TelemetryBench;
before(async () => {
  bench = await openTelemetry();
});
after(() => bench.close());

/** The partitions that hold a device's rows, each with how many. */
async function partitionsOf(device: TestSender): Promise<Record<string, number>> {
  const rows = await bench.query<{ name: string; rows: number }>(
    `SELECT tableoid::regclass::text AS name, count(*)::integer AS rows FROM telemetry WHERE device_uid = $1 GROUP BY 1 ORDER BY 1`,
    [device.uid],
  );
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]));
}

function partition(retentionDays: number, at: number): string {
  return `telemetry_${retentionDays}_${new Date(at).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

async function partitions(): Promise<string[]> {
  const rows = await bench.query<{ name: string }>(
    "SELECT relid::regclass::text AS name FROM pg_partition_tree('telemetry') WHERE isleaf AND level = 2",
  );
  return rows.map(({ name }) => name);
}

async function setRetention(slug: string, days: number): Promise<void> {
  const { database, clock } = bench;
  const access = createAccess({ database, clock, ids: randomIds, logger: createLogger("silent") });
  await access.setTelemetryRetention(await access.systemCaller(slug), days);
}

/** Sends until the row lies where it should: the news of a retention travels beside the message. */
async function publishInto(device: TestSender, payload: unknown, name: string): Promise<void> {
  do await device.publish(payload);
  while ((await partitionsOf(device))[name] === undefined);
}

test("a reading lies in its day's partition, to the microsecond and in UTC, whatever comes first", async () => {
  const device = await bench.device(await bench.tenant());
  const now = bench.clock.now().getTime();
  const midnight = Math.floor(now / DAY) * DAY;
  const times = [midnight, midnight - 1, midnight - 29 * DAY, now + 9 * MINUTE, midnight - 10 * DAY];
  await device.publish(times.map((ts) => ({ ts, values: { a: 1, b: 2 } })));
  const expected: Record<string, number> = {};
  for (const ts of times) expected[partition(90, ts)] = (expected[partition(90, ts)] ?? 0) + 2;
  assert.deepEqual(await partitionsOf(device), Object.fromEntries(Object.entries(expected).sort()));
});

test("two processes that meet a day for the first time make one partition and lose nothing", async () => {
  const caller = await bench.tenant();
  const devices = await Promise.all(Array.from({ length: 6 }, () => bench.device(caller)));
  const now = bench.clock.now().getTime();
  const [one, two] = [bench.another(), bench.another()];
  for (const ago of [20, 21, 22]) {
    const ts = now - ago * DAY;
    await Promise.all(devices.map((device, n) => device.publish({ ts, values: { a: n } }, n % 2 ? one : two)));
    for (const device of devices) assert.equal((await partitionsOf(device))[partition(90, ts)], 1);
  }
});

test("a tenant's retention holds for what arrives from then on, and for that tenant alone", async () => {
  const [short, other] = [await bench.tenant(), await bench.tenant()];
  const [device, neighbour] = [await bench.device(short), await bench.device(other)];
  const ts = bench.clock.now().getTime();
  await device.publish({ ts: ts - 1, values: { before: 1 } });
  await setRetention(short.tenantSlug, 7);
  await publishInto(device, { ts, values: { after: 1 } }, partition(7, ts));
  await Promise.all([device.publish({ ts, values: { more: 1 } }), neighbour.publish({ ts, values: { more: 1 } })]);
  assert.equal((await partitionsOf(device))[partition(7, ts)], 2);
  assert.deepEqual(Object.keys(await partitionsOf(neighbour)), [partition(90, ts)]);
});

test("a reading older than its tenant keeps any is acknowledged and not stored, the others of its message are", async () => {
  const caller = await bench.tenant();
  await setRetention(caller.tenantSlug, 7);
  const device = await bench.device(caller);
  const now = bench.clock.now().getTime();
  const [old, kept] = [now - 8 * DAY, now - 6 * DAY];
  await publishInto(device, { ts: kept, values: { a: 1 } }, partition(7, kept));
  await device.publish([old, kept].map((ts) => ({ ts, values: { b: ts } })));
  await device.publish({ ts: old, values: { c: 3 } });
  const rows = await bench.query(
    "SELECT metric, number FROM telemetry WHERE device_uid = $1 AND retention_days = 7 ORDER BY metric",
    [device.uid],
  );
  assert.deepEqual(rows, [
    { metric: "a", number: 1 },
    { metric: "b", number: kept },
  ]);
  const latest = await bench.telemetry.latest(caller, device.id);
  assert.deepEqual(
    latest.map(({ metric, value }) => [metric, value]),
    [
      ["a", 1],
      ["b", kept],
      ["c", 3],
    ],
  );
});

test("only the retentions that there are can be set, and only of a tenant that there is", async () => {
  const { tenantSlug } = await bench.tenant();
  for (const days of [0, 1, 89, 3650, Number.NaN, 7.5])
    await assert.rejects(setRetention(tenantSlug, days), /730 days/);
  await assert.rejects(setRetention("nobody", 30), /no such tenant/);
});

test("tending makes the days to come, drops those that nobody keeps any longer, and leaves the others", async () => {
  const caller = await bench.tenant();
  await setRetention(caller.tenantSlug, 7);
  const device = await bench.device(caller);
  const start = bench.clock.now().getTime();
  await publishInto(device, { ts: start, values: { a: 1 } }, partition(7, start));
  const neighbour = await bench.device(await bench.tenant());
  await neighbour.publish({ ts: start, values: { a: 1 } });
  await bench.telemetry.tendTelemetry();
  for (const days of [7, 90])
    for (const ahead of [0, 1, 2]) assert.ok((await partitions()).includes(partition(days, start + ahead * DAY)));

  for (let day = 0; day < 7; day++) bench.clock.advance(DAY);
  await bench.telemetry.tendTelemetry();
  assert.equal((await partitionsOf(device))[partition(7, start)], 1, "what is seven days old is kept");
  bench.clock.advance(2 * DAY);
  await Promise.all([bench.telemetry.tendTelemetry(), bench.another().tendTelemetry()]);
  assert.equal((await partitionsOf(device))[partition(7, start)], undefined);
  assert.ok(!(await partitions()).includes(partition(7, start)));
  assert.deepEqual(Object.keys(await partitionsOf(neighbour)), [partition(90, start)]);
});

test("a day whose partition went missing is made again by the message that needs it", async () => {
  const device = await bench.device(await bench.tenant());
  const ts = bench.clock.now().getTime();
  await device.publish({ ts, values: { a: 1 } });
  await bench.query(`DROP TABLE ${partition(90, ts)}`);
  await Promise.all([device.publish({ ts, values: { b: 1 } }), device.publish("not json")]);
  assert.deepEqual(await partitionsOf(device), { [partition(90, ts)]: 1 });
});

if (onPostgres) {
  test("a drop that meets somebody storing gives way, and is done the next time", async () => {
    const device = await bench.device(await bench.tenant());
    const ts = bench.clock.now().getTime();
    await device.publish({ ts, values: { a: 1 } });
    bench.clock.advance(93 * DAY + HOUR);
    await bench.database.db.transaction().execute(async (tx) => {
      await tx.selectFrom("telemetry").select("ts").where("device_uid", "=", device.uid).execute();
      await bench.telemetry.tendTelemetry();
      assert.equal((await partitionsOf(device))[partition(90, ts)], 1);
      await device.publish({ b: 1 });
    });
    await bench.telemetry.tendTelemetry();
    assert.deepEqual(Object.keys(await partitionsOf(device)), [partition(90, bench.clock.now().getTime())]);
  });
}
