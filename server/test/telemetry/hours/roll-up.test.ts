import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import type { Caller } from "../../../src/access/access.ts";
import { DAY, HOUR, MINUTE } from "../../../src/lib/clock.ts";
import {
  deleteMarks,
  listDueTenants,
  lockDirtyHours,
  markDirty,
} from "../../../src/telemetry/roll-up/dirty-hour-store.ts";
import { recomputeHours } from "../../../src/telemetry/roll-up/roll-up-store.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { OF_THIS_DATABASE } from "../../harness/database/postgres.ts";
import { openTelemetryFixture, type TelemetryFixture } from "../../harness/telemetry.ts";
import { type SeriesReads, seriesReads } from "./series-reads.ts";
import { rollUpRules } from "./suite-roll-up.ts";

let fixture: TelemetryFixture;
let caller: Caller;
let reads: SeriesReads;
before(async () => {
  fixture = await openTelemetryFixture();
  caller = await fixture.tenant();
  reads = seriesReads(fixture, caller);
});
after(() => fixture.close());

describe("roll-ups", () => rollUpRules(() => fixture, onPostgres ? 40 : 8));

test("rolling up twice, in two processes and after a failed run gives the same result", async () => {
  const device = await fixture.device(caller);
  const start = fixture.clock.now().getTime() - 10 * HOUR;
  await device.publish(
    Array.from({ length: 60 }, (_, n) => ({ ts: start + n * 10 * MINUTE - n, values: { a: n, b: -n } })),
  );
  fixture.clock.advance(3 * MINUTE);
  const failing = fixture.database.db.transaction().execute(async (tx) => {
    const now = fixture.clock.now();
    const dirty = await lockDirtyHours(tx, now, await listDueTenants(tx, now, 100), 100);
    assert.ok(dirty.length >= 10);
    await recomputeHours(tx, dirty, fixture.clock.now());
    await deleteMarks(tx, dirty);
    throw new Error("killed");
  });
  await assert.rejects(failing, /killed/);
  await Promise.all([fixture.telemetry.rollUp(), fixture.anotherProcess().rollUp()]);
  await reads.rollUpAll();
  assert.equal(await reads.dirtyHours(device), 0);
  const query = { from: new Date(start - HOUR), to: new Date(start + 12 * HOUR), bucketSeconds: 3600 };
  for (const metric of ["a", "b"]) await reads.assertSeries(device, metric, query);
});

test("a series of numbers too large to add up is still readable", async () => {
  const device = await fixture.device(caller);
  const start = fixture.clock.now().getTime() - 5 * HOUR;
  await device.publish([1, 2, 3].map((n) => ({ ts: start + n, values: { a: 1.7e308 } })));
  const query = { from: new Date(start - HOUR), to: new Date(start + HOUR), bucketSeconds: 3600 };
  for (let computed = 0; computed < 2; computed++) {
    const { points } = await fixture.telemetry.readSeries(caller, device.id, "a", query);
    assert.deepEqual(
      points.map(({ min, max, count }) => [min, max, count]),
      [[1.7e308, 1.7e308, 3]],
    );
    await reads.rollUpAll();
  }
});

test("readings are listed newest first, page by page, only of the range and the metric", async () => {
  const device = await fixture.device(caller);
  const start = fixture.clock.now().getTime() - 3 * DAY;
  const values = [1, "two", true, 4, 5];
  await device.publish(values.map((a, n) => ({ ts: start + (n * DAY) / 2, values: { a, other: 0 } })));
  const query = { from: new Date(start), to: new Date(start + 2 * DAY), limit: 2 };
  const pages: unknown[][] = [];
  let cursor: string | undefined;
  do {
    const page = await fixture.telemetry.listReadings(caller, device.id, "a", { ...query, cursor });
    pages.push(page.items.map(({ value }) => value));
    cursor = page.next;
  } while (cursor !== undefined);
  assert.deepEqual(pages, [
    [4, true],
    ["two", 1],
  ]);
  const read = (more: object) => fixture.telemetry.listReadings(caller, device.id, "a", { ...query, ...more });
  await assert.rejects(read({ limit: 0 }), /1 to 1000/);
  await assert.rejects(read({ cursor: "x" }), /Not a cursor/);
});

test("readings and series of another tenant's device are not found", async () => {
  const device = await fixture.device(caller);
  await device.publish({ a: 1 });
  const query = { from: new Date(0), to: fixture.clock.now() };
  const foreign = await fixture.tenant();
  await assert.rejects(fixture.telemetry.listReadings(foreign, device.id, "a", query), /no such device/);
  await assert.rejects(fixture.telemetry.readSeries(foreign, device.id, "a", query), /no such device/);
});

if (onPostgres) {
  test("an hour into which a transaction stores is not computed until it commits", async () => {
    const device = await fixture.device(caller);
    const ts = fixture.clock.now().getTime() - 5 * HOUR;
    await device.publish({ ts, values: { a: 1 } });
    fixture.clock.advance(3 * MINUTE);
    await fixture.database.db.transaction().execute(async (tx) => {
      const hour = Math.floor(ts / HOUR);
      await markDirty(tx, { deviceUids: [device.uid], hours: [hour] }, fixture.clock.now().getTime());
      await sql`UPDATE telemetry_messages m SET numbers = '{2}' FROM telemetry_shapes s
                 WHERE s.shape_no = m.shape_no AND s.device_uid = ${device.uid}`.execute(tx);
      await fixture.telemetry.rollUp();
    });
    const query = { from: new Date(ts - HOUR), to: new Date(ts + HOUR), bucketSeconds: 3600 };
    await reads.assertSeries(device, "a", query);
    await fixture.telemetry.rollUp();
    assert.equal(await reads.dirtyHours(device), 0);
    await reads.assertSeries(device, "a", query);
  });

  test("a reading that arrives while its hour is computed waits, and the hour is computed again", async () => {
    const device = await fixture.device(caller);
    const ts = fixture.clock.now().getTime() - 5 * HOUR;
    await device.publish({ ts, values: { a: 1 } });
    fixture.clock.advance(3 * MINUTE);
    let late: Promise<unknown> | undefined;
    await fixture.database.db.transaction().execute(async (tx) => {
      const now = fixture.clock.now();
      const dirty = await lockDirtyHours(tx, now, await listDueTenants(tx, now, 100), 1_000);
      late = device.publish({ ts: ts + 1, values: { a: 2 } });
      while (
        (
          await fixture.query(
            `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid' AND ${OF_THIS_DATABASE}`,
          )
        ).length === 0
      );
      await recomputeHours(tx, dirty, fixture.clock.now());
      await deleteMarks(tx, dirty);
    });
    await late;
    assert.equal(await reads.dirtyHours(device), 1);
    const query = { from: new Date(ts - HOUR), to: new Date(ts + HOUR), bucketSeconds: 3600 };
    await reads.assertSeries(device, "a", query);
    await reads.rollUpAll();
    assert.equal(await reads.dirtyHours(device), 0);
    await reads.assertSeries(device, "a", query);
  });
}
