import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { HOUR, MINUTE } from "../../src/lib/clock.ts";
import type { TelemetryFixture } from "../harness/telemetry.ts";
import { assertDeletedOnce, deviceWithTelemetry, rowsOf, TABLES } from "./deleted-devices.ts";

/** Declares the tests of deleted devices' telemetry, for direct storage and the stream. */
export function deletionRules(given: () => TelemetryFixture): void {
  let fixture: TelemetryFixture;
  let caller: Caller;
  before(async () => {
    fixture = given();
    caller = await fixture.tenant();
  });

  test("deleting a device only records that its telemetry is to be deleted, and the job deletes all of it", async () => {
    const [device, other] = [await deviceWithTelemetry(fixture, caller), await deviceWithTelemetry(fixture, caller)];
    const before = await rowsOf(fixture, device);
    assert.deepEqual(Object.keys(before), TABLES.slice(0, -1));
    await fixture.features.enrollment.deleteDevice(caller, device.id);
    assert.deepEqual(await rowsOf(fixture, device), { ...before, telemetry_deletions: 1 });
    await fixture.telemetry.deleteTelemetry();
    assert.deepEqual(
      await rowsOf(fixture, device),
      { ...before, telemetry_deletions: 1 },
      "its last messages may be under way",
    );

    fixture.clock.advance(MINUTE);
    const kept = await rowsOf(fixture, other);
    await fixture.telemetry.deleteTelemetry();
    await assertDeletedOnce(fixture, device);
    assert.deepEqual(await rowsOf(fixture, other), kept);

    await device.publish({ late: 1 });
    fixture.clock.advance(HOUR);
    await fixture.telemetry.deleteTelemetry();
    assert.deepEqual(await rowsOf(fixture, device), {});
  });
}
