import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import type { Caller } from "../../src/access/access.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/lib/clock.ts";
import { assignPacks } from "../harness/anomalies.ts";
import type { StreamedFixture } from "../harness/telemetry.ts";
import { deviceWithTelemetry, rowsOf } from "./deleted-devices.ts";
import { type ChunkReads, chunkReads } from "./hours/chunk-reads.ts";
import { atNoon } from "./hours/suite-chunks.ts";

/** Declares the tests of acknowledged messages that are stored only after something else has happened. */
export function waitingRules(given: () => StreamedFixture): void {
  let fixture: StreamedFixture;
  let caller: Caller;
  let reads: ChunkReads;
  /** Jobs and reads that do not wait for messages in the stream. */
  let readsAtOnce: ChunkReads;
  before(async () => {
    fixture = given();
    caller = await fixture.tenant();
    reads = chunkReads(fixture, caller);
    const atOnce = { telemetry: fixture.atOnce, query: fixture.queryAtOnce, stored: async () => {} };
    readsAtOnce = chunkReads({ ...fixture, ...atOnce }, caller);
  });
  beforeEach(() => atNoon(fixture));

  test("a queued message of a deleted device is deleted too, and no device with its id has it", async () => {
    const [device, foreigner] = [await deviceWithTelemetry(fixture, caller), await fixture.tenant()];
    const { id } = await fixture.features.rules.createThreshold(caller, {
      name: "Hot",
      rules: [{ metric: "a", operator: "gt", value: 90, severity: "major" }],
    });
    await assignPacks(fixture, caller, device.id, id);
    await fixture.whileInStream(async () => {
      await device.publish({ a: 99, secret: 1 });
      await device.publish("bad");
      await fixture.features.enrollment.deleteDevice(caller, device.id);
      for (const wait of [MINUTE, HOUR, HOUR]) {
        fixture.clock.advance(wait);
        await fixture.atOnce.deleteTelemetry();
      }
      const { telemetry_deletions: deletions } = await rowsOf({ query: fixture.queryAtOnce }, device);
      assert.equal(deletions, 1, "its deletion ended before its messages were stored");
    });
    const again = [await fixture.device(caller, device.id), await fixture.device(foreigner, device.id)] as const;
    for (const [of, { uid }] of [
      [caller, again[0]],
      [foreigner, again[1]],
    ] as const) {
      assert.deepEqual(await fixture.telemetry.listLatest(of, device.id), []);
      assert.deepEqual(await fixture.telemetry.listRejected(of, device.id), []);
      assert.deepEqual(await fixture.query("SELECT FROM shared_readings WHERE device_uid = $1", [uid]), []);
    }
    assert.deepEqual(await fixture.query("SELECT FROM anomalies WHERE threshold_id = $1", [id]), []);
    await fixture.caughtUp();
    fixture.clock.advance(HOUR);
    await fixture.telemetry.deleteTelemetry();
    assert.deepEqual(await rowsOf(fixture, device), {});
  });

  test("messages whose hour was rolled up, and whose day is in chunks, join it when they are stored", async () => {
    const { device, sent, start } = await reads.deviceWithDays();
    await fixture.stored();
    const range: [number, number] = [start - HOUR, start + 4 * DAY];
    const arrival = fixture.clock.now().getTime();
    await fixture.whileInStream(async () => {
      await reads.send(device, sent, [
        { ts: start + 30 * SECOND, values: { a: 7, b: true, c: "late" } },
        { ts: start, values: { a: 8, b: false, c: "replaced" } },
        { ts: start + HOUR, values: { a: 9 } },
        { ts: arrival, values: { a: 10 } },
      ]);
      await readsAtOnce.rollUp();
      assert.deepEqual(await readsAtOnce.stored(device), { rows: 0, chunks: 6 });
      for (let day = 0; day < 3; day++) fixture.clock.advance(DAY);
      await readsAtOnce.rollUp();
    });
    await reads.assertReads(device, sent, range);
    await reads.rollUp();
    assert.deepEqual(await reads.stored(device), { rows: 0, chunks: 8 });
    await reads.assertReads(device, sent, range);
  });

  test("messages that waited for longer than their retention are dropped with their day", async () => {
    const { device, sent, start } = await reads.deviceWithDays();
    await reads.rollUp();
    await fixture.whileInStream(async () => {
      await reads.send(device, sent, [{ ts: start + 30 * SECOND, values: { a: 7 } }]);
      for (let day = 0; day < 92; day++) fixture.clock.advance(DAY);
      await fixture.atOnce.maintainPartitions();
      assert.deepEqual(await readsAtOnce.stored(device), { rows: 0, chunks: 0 });
    });
    await reads.rollUp();
    await fixture.telemetry.maintainPartitions();
    assert.deepEqual(await reads.stored(device), { rows: 0, chunks: 0 });
  });
}
