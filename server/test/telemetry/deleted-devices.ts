import assert from "node:assert/strict";
import type { Caller } from "../../src/access/access.ts";
import { DAY, MINUTE } from "../../src/lib/clock.ts";
import type { TelemetryFixture, TestSender } from "../harness/telemetry.ts";

type Queried = Pick<TelemetryFixture, "query">;

export const TABLES = [
  "telemetry_messages",
  "telemetry_chunks",
  "telemetry_shapes",
  "device_latest",
  "telemetry_hour",
  "roll_up_marks",
  "rejected_messages",
  "telemetry_deletions",
];

/** Returns the tables that have rows of the device, and how many. */
export async function rowsOf(fixture: Queried, { uid }: TestSender): Promise<Record<string, number>> {
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

/** Asserts that only the record of the deletion remains and, because of messages in flight, the shapes. */
export async function assertDeletedOnce(fixture: Queried, device: TestSender): Promise<void> {
  const { telemetry_shapes: shapes, ...others } = await rowsOf(fixture, device);
  assert.ok(shapes! > 0);
  assert.deepEqual(others, { telemetry_deletions: 1 });
}

/**
 * Creates a device with rows in every table: readings of three days, two of them with roll-ups, and a rejected message.
 */
export async function deviceWithTelemetry(
  fixture: TelemetryFixture,
  caller: Caller,
  readings = 40,
): Promise<TestSender> {
  const device = await fixture.device(caller);
  const now = fixture.clock.now().getTime();
  for (const days of [0, 1, 2]) {
    const from = now - days * DAY;
    await device.publish(
      Array.from({ length: readings }, (_, at) => ({ ts: from - at, values: { a: at, b: at, c: "x" } })),
    );
  }
  await device.publish("bad");
  await fixture.stored();
  fixture.clock.advance(3 * MINUTE);
  await fixture.telemetry.rollUp();
  await device.publish({ a: 1 });
  return device;
}
