import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Caller } from "../../../src/access/access.ts";
import { DAY, HOUR, MINUTE } from "../../../src/lib/clock.ts";
import { listDueTenants, lockDirtyHours } from "../../../src/telemetry/roll-up/dirty-hour-store.ts";
import { recomputeHours } from "../../../src/telemetry/roll-up/roll-up-store.ts";
import { readStoredReadings } from "../../../src/telemetry/telemetry.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { openTelemetryFixture, type TelemetryFixture } from "../../harness/telemetry.ts";
import { type ChunkReads, chunkReads } from "./chunk-reads.ts";
import type { Sent } from "./sent-readings.ts";
import { atNoon, chunkRules } from "./suite-chunks.ts";

let fixture: TelemetryFixture;
let caller: Caller;
let reads: ChunkReads;
before(async () => {
  fixture = await openTelemetryFixture();
  caller = await fixture.tenant();
  reads = chunkReads(fixture, caller);
});
beforeEach(() => atNoon(fixture));
after(() => fixture.close());

describe("chunks", () => chunkRules(() => fixture, onPostgres ? 25 : 10));

test("a computation that fails half-way, and several simultaneous processes, lose and double nothing", async () => {
  const { device, sent, start } = await reads.deviceWithDays();
  fixture.clock.advance(3 * MINUTE);
  const failing = fixture.database.db.transaction().execute(async (tx) => {
    const now = fixture.clock.now();
    await recomputeHours(tx, await lockDirtyHours(tx, now, await listDueTenants(tx, now, 100), 1_000), now);
    throw new Error("killed");
  });
  await assert.rejects(failing, /killed/);
  await fixture.telemetry.retireMessages();
  assert.deepEqual(await reads.stored(device), { rows: 360, chunks: 0 });
  const processes = [fixture.telemetry, fixture.anotherProcess()];
  await Promise.all(processes.flatMap((one) => [one.rollUp(), one.retireMessages()]));
  await reads.assertReads(device, sent, [start, start + 2 * DAY]);
  await reads.rollUp();
  assert.deepEqual(await reads.stored(device), { rows: 0, chunks: 6 });
  await reads.assertReads(device, sent, [start, start + 2 * DAY]);
});

test("a message whose day is always dropped before it is stored is neither acknowledged nor rejected", async () => {
  const device = await fixture.device(caller);
  const ts = reads.yesterday(5);
  await fixture.query("ALTER FUNCTION make_message_day(smallint, date) RENAME TO make_message_day_away");
  await fixture.query("CREATE FUNCTION make_message_day(smallint, date) RETURNS void LANGUAGE sql AS ''");
  await assert.rejects(device.publish({ ts, values: { a: 1 } }), /no partition/);
  await fixture.query("DROP FUNCTION make_message_day(smallint, date)");
  await fixture.query("ALTER FUNCTION make_message_day_away(smallint, date) RENAME TO make_message_day");
  assert.deepEqual(await fixture.telemetry.listRejected(caller, device.id), []);
  await device.publish({ ts, values: { a: 1 } });
  assert.equal((await reads.stored(device)).rows, 1);
});

if (onPostgres) {
  test("a day that a transaction uses is dropped later, and storing waits for neither", async () => {
    const { device, sent, start } = await reads.deviceWithDays();
    fixture.clock.advance(3 * MINUTE);
    await fixture.telemetry.rollUp();
    await fixture.database.db.transaction().execute(async (tx) => {
      await tx.selectFrom("telemetry_messages").select("ts").execute();
      await fixture.telemetry.retireMessages();
      assert.equal((await reads.stored(device)).rows, 360);
      await device.publish({ other: 1 });
    });
    await fixture.telemetry.retireMessages();
    assert.equal((await reads.stored(device)).rows, 1);
    await reads.assertReads(device, sent, [start, start + 2 * DAY]);
  });
}

test("a device that continually sends late messages keeps no rows of others, whatever it has in the hour", async () => {
  const { device: honest, sent: ofHonest, start } = await reads.deviceWithDays();
  const late = await fixture.device(await fixture.tenant());
  const sent: Sent = new Map();
  const send1000 = (from: number) =>
    reads.send(
      late,
      sent,
      Array.from({ length: 1_000 }, (_, n) => ({ ts: start + 8 * HOUR + (from + n) * 300, values: { z: n } })),
    );
  for (let from = 0; from <= 10_000; from += 1_000) await send1000(from);
  fixture.clock.advance(3 * MINUTE);
  await fixture.telemetry.rollUp();
  // The hour is marked whenever the day is to be dropped, and was never due for long.
  for (const ts of [1, 2]) {
    await reads.send(late, sent, [{ ts: start + 8 * HOUR + ts, values: { z: -ts } }]);
    await fixture.telemetry.retireMessages();
    assert.ok((await reads.stored(late)).rows <= 1);
    assert.equal((await reads.stored(honest)).rows, 0);
  }
  await reads.assertReads(honest, ofHonest, [start, start + DAY]);
  assert.deepEqual(await lateReadings(), sent.get("z"));

  /** Returns them ordered by time, as they were sent. */
  async function lateReadings(): Promise<Map<number, unknown>> {
    const found = new Map<number, unknown>();
    const which = { deviceUid: late.uid, metric: "z", from: new Date(start), to: new Date(start + DAY) };
    const now = fixture.clock.now();
    for (let after = Number.NEGATIVE_INFINITY; ; after = [...found.keys()].at(-1)! * 1_000) {
      const page = await readStoredReadings(fixture.database.db, { ...which, now, after, limit: 5_000 });
      for (const { time, value } of page) found.set(time / 1_000, value);
      if (page.length < 5_000) return found;
    }
  }
});
