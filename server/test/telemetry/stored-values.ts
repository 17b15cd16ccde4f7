import type { Caller } from "../../src/access/access.ts";
import type { TelemetryFixture, TestSender } from "../harness/telemetry.ts";

/** Returns the stored rows of a device: metric, milliseconds, value. */
export async function storedRows(fixture: TelemetryFixture, device: TestSender): Promise<[string, number, unknown][]> {
  const rows = await fixture.query<{ metric: string; ts: Date; number: number; flag: boolean; text: string }>(
    `SELECT metric, ts, number, flag, text FROM shared_readings WHERE device_uid = $1 ORDER BY metric COLLATE "C", ts`,
    [device.uid],
  );
  return rows.map(({ metric, ts, number, flag, text }) => [metric, ts.getTime(), number ?? flag ?? text]);
}

export async function latestValues(
  fixture: TelemetryFixture,
  caller: Caller,
  device: TestSender,
): Promise<Record<string, unknown>> {
  const values = await fixture.telemetry.listLatest(caller, device.id);
  return Object.fromEntries(values.map(({ metric, value }) => [metric, value]));
}
