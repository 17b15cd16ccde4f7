import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Caller } from "../src/access/access.ts";
import { DAY, HOUR, MINUTE } from "../src/lib/clock.ts";
import { onPostgres } from "./harness/database.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "./harness/telemetry.ts";

let fixture: TelemetryFixture;
let caller: Caller;
before(async () => {
  fixture = await openTelemetryFixture();
  caller = await fixture.tenant();
});
after(() => fixture.close());

const TABLES = [
  "telemetry_messages",
  "telemetry_chunks",
  "telemetry_shapes",
  "device_latest",
  "telemetry_minute",
  "telemetry_hour",
  "roll_up_marks",
  "rejected_messages",
  "telemetry_deletions",
];

/** The tables that have rows of the device, and how many. */
async function rowsOf({ uid }: TestSender): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of TABLES) {
    const hasShapes = table === "telemetry_messages" || table === "telemetry_chunks";
    const rows = hasShapes ? `${table} JOIN telemetry_shapes USING (shape_no)` : table;
    const statement = `SELECT count(*)::int AS count FROM ${rows} WHERE device_uid = $1`;
    const [row] = await fixture.query<{ count: number }>(statement, [uid]);
    if (row!.count > 0) found[table] = row!.count;
  }
  return found;
}

/** Asserts that nothing is left but the record of the deletion and, for what a message under way stores, the shapes. */
async function assertDeletedOnce(device: TestSender): Promise<void> {
  const { telemetry_shapes: shapes, ...others } = await rowsOf(device);
  assert.ok(shapes! > 0);
  assert.deepEqual(others, { telemetry_deletions: 1 });
}

/** A device with rows in every table: readings of three days, of two of them with roll-ups, and a rejected message. */
async function deviceWithTelemetry(readings = 40): Promise<TestSender> {
  const device = await fixture.device(caller);
  const now = fixture.clock.now().getTime();
  for (const days of [0, 1, 2]) {
    const from = now - days * DAY;
    await device.publish(
      Array.from({ length: readings }, (_, at) => ({ ts: from - at, values: { a: at, b: at, c: "x" } })),
    );
  }
  await device.publish("bad");
  fixture.clock.advance(3 * MINUTE);
  await fixture.telemetry.rollUp();
  await device.publish({ a: 1 });
  return device;
}

test("deleting a device only records that its telemetry is to be deleted, and the job deletes all of it", async () => {
  const [device, other] = [await deviceWithTelemetry(), await deviceWithTelemetry()];
  const before = await rowsOf(device);
  assert.deepEqual(Object.keys(before), TABLES.slice(0, -1));
  await fixture.features.enrollment.deleteDevice(caller, device.id);
  assert.deepEqual(await rowsOf(device), { ...before, telemetry_deletions: 1 });
  await fixture.telemetry.deleteTelemetry();
  assert.deepEqual(await rowsOf(device), { ...before, telemetry_deletions: 1 }, "its last messages may be under way");

  fixture.clock.advance(MINUTE);
  const kept = await rowsOf(other);
  await fixture.telemetry.deleteTelemetry();
  await assertDeletedOnce(device);
  assert.deepEqual(await rowsOf(other), kept);

  await device.publish({ late: 1 });
  fixture.clock.advance(HOUR);
  await fixture.telemetry.deleteTelemetry();
  assert.deepEqual(await rowsOf(device), {});
});

test("more rows than one statement deletes are deleted in one run", async () => {
  const device = await deviceWithTelemetry(900);
  await device.publish(
    Array.from({ length: 1_000 }, (_, at) => ({
      ts: fixture.clock.now().getTime() - at,
      values: { a: 1, d: 1, e: 1, f: 1, g: 1 },
    })),
  );
  await fixture.features.enrollment.deleteDevice(caller, device.id);
  fixture.clock.advance(MINUTE);
  await fixture.telemetry.deleteTelemetry();
  await assertDeletedOnce(device);
});

test("a deletion that fails half-way is finished by a later run, in any process", async () => {
  const device = await deviceWithTelemetry();
  await fixture.features.enrollment.deleteDevice(caller, device.id);
  fixture.clock.advance(MINUTE);
  await fixture.query("ALTER TABLE rejected_messages RENAME TO rejected_messages_away");
  await assert.rejects(fixture.telemetry.deleteTelemetry());
  await fixture.query("ALTER TABLE rejected_messages_away RENAME TO rejected_messages");
  assert.ok((await rowsOf(device)).telemetry_messages! > 0);
  const other = fixture.anotherProcess();
  await other.deleteTelemetry();
  assert.ok((await rowsOf(device)).telemetry_messages! > 0, "the process that failed still has the lease");
  fixture.clock.advance(30 * MINUTE);
  await other.deleteTelemetry();
  await assertDeletedOnce(device);
});

// The embedded database belongs to the one process that would be killed.
if (onPostgres) {
  test("a process that is killed while it deletes leaves the rest to another one, which deletes all of it", async () => {
    const device = await deviceWithTelemetry();
    await fixture.features.enrollment.deleteDevice(caller, device.id);
    const left: number[] = [];
    fixture.clock.advance(MINUTE);
    // The first has leased the device, the second deleted marks and latest values, the third some of the readings.
    for (const statements of [1, 4, 12]) {
      const args = [fixture.databaseUrl!, fixture.clock.now().toISOString(), String(statements)];
      const child = fork(join(import.meta.dirname, "harness/killed-deletion.ts"), args, { execArgv: [] });
      assert.deepEqual(await once(child, "exit"), [null, "SIGKILL"]);
      left.push(Object.values(await rowsOf(device)).reduce((sum, rows) => sum + rows, 0));
      fixture.clock.advance(30 * MINUTE);
    }
    assert.ok(left[0]! > left[1]! && left[1]! > left[2]! && left[2]! > 1, `${left} rows`);
    await fixture.telemetry.deleteTelemetry();
    await assertDeletedOnce(device);
    fixture.clock.advance(HOUR);
    await fixture.telemetry.deleteTelemetry();
    assert.deepEqual(await rowsOf(device), {});
  });

  test("processes that delete at once delete everything, each device once", async () => {
    const devices = await Promise.all(Array.from({ length: 8 }, () => deviceWithTelemetry()));
    for (const { id } of devices) await fixture.features.enrollment.deleteDevice(caller, id);
    for (const wait of [MINUTE, HOUR]) {
      fixture.clock.advance(wait);
      await Promise.all([fixture.telemetry, fixture.anotherProcess()].map((process) => process.deleteTelemetry()));
    }
    for (const device of devices) assert.deepEqual(await rowsOf(device), {});
  });
}
