/**
 * Processes of the version before schema 56 store and read latest values a row a metric, beside processes of this version. The statements of the
 * earlier version stand here as it sent them, shortened to what concerns latest values.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "../src/access/access.ts";
import { openEmbedded } from "../src/db/embedded/embedded.ts";
import { migrate, SCHEMA_NUMBER } from "../src/db/migrate.ts";
import { openPostgres } from "../src/db/postgres.ts";
import { createLogger } from "../src/lib/logger.ts";
import { bareDatabase, onPostgres, PATIENT } from "./harness/database.ts";
import { runSql } from "./harness/run-sql.ts";
import { type TelemetryFixture, type TestSender, telemetryFixtureOn } from "./harness/telemetry.ts";

const EARLIER_SCHEMA = 55;
const EARLIER_NODE = "01890000-0000-7000-8000-00000000000e";

let fixture: TelemetryFixture;
let caller: Caller;
before(async () => {
  const { url, snapshot, remove } = await bareDatabase();
  const logger = createLogger("silent");
  const database = url
    ? await openPostgres(url, { timeLimits: PATIENT, logger })
    : await openEmbedded({ dataDir: "memory", snapshot, sync: false, logger });
  await migrate(database, EARLIER_SCHEMA);
  await runSql(
    database.db,
    "INSERT INTO broker_nodes (id, started_at, beat_at) VALUES ($1, clock_timestamp(), clock_timestamp())",
    [EARLIER_NODE],
  );
  await migrate(database);
  fixture = telemetryFixtureOn({ ...database, url, remove });
  caller = await fixture.tenant();
});
after(() => fixture.close());

/** As an earlier process stores readings of now. @returns which it has stored: an older one than the latest is not */
async function storeAsEarlier(device: TestSender, values: Record<string, number>): Promise<string[]> {
  const at = fixture.clock.now();
  const rows = await fixture.query<{ metric: string }>(
    `INSERT INTO telemetry_latest AS l (device_uid, metric, ts, number, received_at)
     SELECT $1, key, $3, value::float8, $3 FROM json_each_text($2::json)
     ON CONFLICT (device_uid, metric) DO UPDATE
        SET ts = excluded.ts, number = excluded.number, flag = excluded.flag, text = excluded.text,
            received_at = excluded.received_at, time_replaced = excluded.time_replaced
      WHERE excluded.ts >= l.ts RETURNING metric`,
    [device.uid, JSON.stringify(values), at],
  );
  return rows.map(({ metric }) => metric);
}

interface Value {
  metric: string;
  ts: Date;
  value: unknown;
}

async function readAsEarlier(device: TestSender): Promise<Value[]> {
  return await fixture.query<Value>(
    `SELECT metric, ts, coalesce(to_json(number), to_json(flag), to_json(text)) AS value FROM telemetry_latest WHERE device_uid = $1
      ORDER BY metric COLLATE "C"`,
    [device.uid],
  );
}

async function read(device: TestSender): Promise<Value[]> {
  const values = await fixture.telemetry.listLatest(caller, device.id);
  return values.map(({ metric, at, value }) => ({ metric, ts: at, value }));
}

async function assertBothHave(device: TestSender, expected: Record<string, unknown>): Promise<void> {
  const values = await read(device);
  assert.deepEqual(Object.fromEntries(values.map(({ metric, value }) => [metric, value])), expected);
  assert.deepEqual(await readAsEarlier(device), values);
}

test("what one version stores is the latest value of both, also of devices with many metrics", async () => {
  const device = await fixture.device(caller);
  const expected: Record<string, unknown> = {};
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`m${n}`, n]));
  const steps: [isEarlier: boolean, values: Record<string, unknown>][] = [
    [true, { b: 1 }],
    [false, { a: 2, text: "x" }],
    [true, { a: 3, c: 4 }],
    [false, many],
    [true, { m3: -3, m68: -68, d: 5 }],
    [false, { m69: true, b: 6 }],
    [false, { m1: -1, c: "y" }],
    [true, { c: 7 }],
  ];
  for (const [isEarlier, values] of steps) {
    fixture.clock.advance(1_000);
    if (isEarlier) await storeAsEarlier(device, values as Record<string, number>);
    else await device.publish(values);
    Object.assign(expected, values);
    await assertBothHave(device, expected);
  }
});

test("a device that an earlier process has stored first is known to this one, and older readings change nothing", async () => {
  const device = await fixture.device(caller);
  await storeAsEarlier(device, { a: 1 });
  await device.publish({ ts: fixture.clock.now().getTime() - 1_000, values: { a: 0, b: 0 } });
  await assertBothHave(device, { a: 1, b: 0 });
  fixture.clock.advance(1_000);
  await device.publish({ a: 2 });
  fixture.clock.advance(-500);
  assert.deepEqual(await storeAsEarlier(device, { a: 1.5 }), []);
  await assertBothHave(device, { a: 2, b: 0 });
  fixture.clock.advance(500);
});

test("an earlier process reads when a device sent its last message to this one, to the second", async () => {
  const device = await fixture.device(caller);
  const seen = async () =>
    (
      await fixture.query<{ at: Date | null }>("SELECT last_seen_at AS at FROM devices WHERE uid = $1", [device.uid])
    )[0]!.at;
  await device.publish({ a: 1 });
  const first = fixture.clock.now();
  assert.deepEqual(await seen(), first);
  fixture.clock.advance(999);
  await device.publish({ a: 1 });
  assert.deepEqual(await seen(), first);
  fixture.clock.advance(1);
  await device.publish("rejected");
  assert.deepEqual(await seen(), fixture.clock.now());
});

test("latest values of a deleted device are deleted by either version", async () => {
  const rowsOf = async (device: TestSender) =>
    await fixture.query(
      "SELECT FROM device_latest WHERE device_uid = $1 UNION ALL SELECT FROM telemetry_latest WHERE device_uid = $1",
      [device.uid],
    );
  for (const table of ["device_latest", "telemetry_latest"]) {
    const device = await fixture.device(caller);
    await device.publish({ a: 1, b: 2 });
    assert.equal((await rowsOf(device)).length, 3);
    await fixture.query(`DELETE FROM ${table} WHERE device_uid = $1`, [device.uid]);
    assert.deepEqual(await rowsOf(device), []);
  }
});

if (onPostgres) {
  test("both versions store values of one device at the same time, and none is lost", async () => {
    const device = await fixture.device(caller);
    const expected: Record<string, number> = {};
    for (let round = 0; round < 40; round++) {
      fixture.clock.advance(1_000);
      const ours = { [`ours${round % 5}`]: round, shared: round };
      const earlier = { [`earlier${round % 5}`]: round };
      await Promise.all([device.publish(ours), storeAsEarlier(device, earlier)]);
      Object.assign(expected, ours, earlier);
    }
    await assertBothHave(device, expected);
  });
}

test("the form of before goes when no earlier process is left, and what one would store fails", async () => {
  const exists = async () =>
    (await fixture.query<{ name: string | null }>("SELECT to_regclass('telemetry_latest')::text AS name"))[0]!.name !==
    null;
  const { connections } = fixture.features;
  const node = await connections.startNode();
  const [row] = await fixture.query("SELECT schema_number FROM broker_nodes WHERE id = $1", [node]);
  assert.deepEqual(row, { schema_number: SCHEMA_NUMBER });
  await fixture.query("UPDATE broker_nodes SET beat_at = clock_timestamp() WHERE id = $1", [EARLIER_NODE]);
  await fixture.query(
    "INSERT INTO broker_nodes (id, started_at, beat_at) VALUES ($1, clock_timestamp(), clock_timestamp()) ON CONFLICT DO NOTHING",
    [EARLIER_NODE],
  );
  await fixture.telemetry.forgetEarlierLatest();
  assert.ok(await exists());
  await fixture.query("DELETE FROM broker_nodes WHERE id = $1", [EARLIER_NODE]);
  for (const _ of [1, 2]) await fixture.telemetry.forgetEarlierLatest();
  assert.ok(!(await exists()));
  const device = await fixture.device(caller);
  await device.publish({ a: 1 });
  await assert.rejects(storeAsEarlier(device, { a: 2 }), /telemetry_latest/);
  assert.deepEqual(await read(device), [{ metric: "a", ts: fixture.clock.now(), value: 1 }]);
  await connections.stopNode();
});
