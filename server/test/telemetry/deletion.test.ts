import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { HOUR, MINUTE } from "../../src/lib/clock.ts";
import { onPostgres } from "../harness/database/database.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "../harness/telemetry.ts";
import { assertDeletedOnce, deviceWithTelemetry, rowsOf } from "./deleted-devices.ts";
import { deletionRules } from "./suite-deletion.ts";

let fixture: TelemetryFixture;
let caller: Caller;
before(async () => {
  fixture = await openTelemetryFixture();
  caller = await fixture.tenant();
});
after(() => fixture.close());

/** The settings of this file's fixture. */
const rows = (device: TestSender) => rowsOf(fixture, device);
const assertDeleted = (device: TestSender) => assertDeletedOnce(fixture, device);
const newDevice = (readings?: number) => deviceWithTelemetry(fixture, caller, readings);

describe("deleted devices", () => deletionRules(() => fixture));

test("more rows than one statement deletes are deleted in one run", async () => {
  const device = await newDevice(900);
  await device.publish(
    Array.from({ length: 1_000 }, (_, at) => ({
      ts: fixture.clock.now().getTime() - at,
      values: { a: 1, d: 1, e: 1, f: 1, g: 1 },
    })),
  );
  await fixture.features.enrollment.deleteDevice(caller, device.id);
  fixture.clock.advance(MINUTE);
  await fixture.telemetry.deleteTelemetry();
  await assertDeleted(device);
});

test("a deletion that fails half-way is finished by a later run, in any process", async () => {
  const device = await newDevice();
  await fixture.features.enrollment.deleteDevice(caller, device.id);
  fixture.clock.advance(MINUTE);
  await fixture.query("ALTER TABLE rejected_messages RENAME TO rejected_messages_away");
  await assert.rejects(fixture.telemetry.deleteTelemetry());
  await fixture.query("ALTER TABLE rejected_messages_away RENAME TO rejected_messages");
  assert.ok((await rows(device)).telemetry_messages! > 0);
  const other = fixture.anotherProcess();
  await other.deleteTelemetry();
  assert.ok((await rows(device)).telemetry_messages! > 0, "the process that failed still has the lease");
  fixture.clock.advance(30 * MINUTE);
  await other.deleteTelemetry();
  await assertDeleted(device);
});

test("a deletion waits for the ingest stream until no process has stored from it for an hour, as after NATS was removed", async (t) => {
  const device = await newDevice();
  await fixture.query("UPDATE stream_partitions SET stream_id = 'left'");
  await fixture.query("INSERT INTO stream_processes VALUES (gen_random_uuid(), 'stream', 'stream', clock_timestamp())");
  t.after(async () => {
    await fixture.query("UPDATE stream_partitions SET stream_id = NULL");
    await fixture.query("DELETE FROM stream_processes");
  });
  await fixture.features.enrollment.deleteDevice(caller, device.id);
  for (const wait of [MINUTE, HOUR, HOUR]) {
    fixture.clock.advance(wait);
    await fixture.telemetry.deleteTelemetry();
  }
  assert.equal((await rows(device)).telemetry_deletions, 1);
  await fixture.query("UPDATE stream_processes SET seen_at = clock_timestamp() - interval '61 minutes'");
  fixture.clock.advance(HOUR);
  await fixture.telemetry.deleteTelemetry();
  assert.deepEqual(await rows(device), {});
});

// The embedded database belongs to the one process that would be killed.
if (onPostgres) {
  test("a process that is killed while it deletes leaves the rest to another one, which deletes all of it", async () => {
    const device = await newDevice();
    await fixture.features.enrollment.deleteDevice(caller, device.id);
    const left: number[] = [];
    fixture.clock.advance(MINUTE);
    // The first statement has leased the device, the second deleted marks and latest values, the third some of the
    // readings.
    for (const statements of [1, 4, 12]) {
      const args = [fixture.databaseUrl!, fixture.clock.now().toISOString(), String(statements)];
      const child = fork(join(import.meta.dirname, "killed-deletion.ts"), args, { execArgv: [] });
      assert.deepEqual(await once(child, "exit"), [null, "SIGKILL"]);
      left.push(Object.values(await rows(device)).reduce((sum, rows) => sum + rows, 0));
      fixture.clock.advance(30 * MINUTE);
    }
    assert.ok(left[0]! > left[1]! && left[1]! > left[2]! && left[2]! > 1, `${left} rows`);
    await fixture.telemetry.deleteTelemetry();
    await assertDeleted(device);
    fixture.clock.advance(HOUR);
    await fixture.telemetry.deleteTelemetry();
    assert.deepEqual(await rows(device), {});
  });

  test("simultaneous processes delete everything, each device once", async () => {
    const devices = await Promise.all(Array.from({ length: 8 }, () => newDevice()));
    for (const { id } of devices) await fixture.features.enrollment.deleteDevice(caller, id);
    for (const wait of [MINUTE, HOUR]) {
      fixture.clock.advance(wait);
      await Promise.all([fixture.telemetry, fixture.anotherProcess()].map((process) => process.deleteTelemetry()));
    }
    for (const device of devices) assert.deepEqual(await rows(device), {});
  });
}
