import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { sql } from "kysely";
import type { Caller } from "../src/access/access.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../src/lib/clock.ts";
import { claimDirtyHours, listDueTenants, markDirty } from "../src/telemetry/roll-up/dirty-hour-store.ts";
import { recomputeHours } from "../src/telemetry/roll-up/roll-up-store.ts";
import type { SeriesQuery } from "../src/telemetry/telemetry.ts";
import { onPostgres } from "./harness/database.ts";
import { OF_THIS_DATABASE } from "./harness/postgres.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "./harness/telemetry.ts";

let fixture: TelemetryFixture;
let caller: Caller;
before(async () => {
  fixture = await openTelemetryFixture();
  caller = await fixture.tenant();
});
after(() => fixture.close());

/** The series computed from the stored readings, one by one. */
async function expectedSeries(device: TestSender, metric: string, { from, to }: SeriesQuery, bucketSeconds: number) {
  const rows = await fixture.query<{ us: string; number: number | null }>(
    `SELECT (extract(epoch FROM ts) * 1000000)::bigint::text AS us, number FROM shared_readings WHERE device_uid = $1 AND metric = $2`,
    [device.uid, metric],
  );
  const inside = rows
    .map(({ us, number }) => ({ ms: Number(us) / 1000, number }))
    .filter(({ ms, number }) => number !== null && ms >= from.getTime() && ms < to.getTime());
  const size = bucketSeconds * SECOND;
  const buckets = Map.groupBy(inside, ({ ms }) => Math.floor(ms / size) * size);
  return [...buckets]
    .sort(([a], [b]) => a - b)
    .map(([at, members]) => {
      const numbers = members.map(({ number }) => number!);
      const [min, max, sum] = [Math.min(...numbers), Math.max(...numbers), numbers.reduce((a, b) => a + b)];
      return { at: new Date(at), min, avg: sum / numbers.length, max, count: numbers.length };
    });
}

async function assertSeries(device: TestSender, metric: string, query: SeriesQuery): Promise<void> {
  const { bucketSeconds, points } = await fixture.telemetry.readSeries(caller, device.id, metric, query);
  assert.deepEqual(points, await expectedSeries(device, metric, query, bucketSeconds));
}

async function dirtyHours(device: TestSender): Promise<number> {
  return (await fixture.query("SELECT FROM roll_up_marks WHERE device_uid = $1", [device.uid])).length;
}

/** Advances the clock until all hours are due, and computes them. */
async function rollUpAll(): Promise<void> {
  fixture.clock.advance(HOUR + 3 * MINUTE);
  await fixture.telemetry.rollUp();
}

test("a series equals its readings, with late and overwritten readings and roll-ups in between", async () => {
  const start = fixture.clock.now().getTime() - 20 * HOUR;
  const reading = fc.record(
    {
      ts: fc.integer({ min: 0, max: 5 * HOUR }).map((ms) => start + ms - (ms % 7) * 1000),
      values: fc.record({ a: fc.oneof(fc.integer({ min: -999, max: 999 }), fc.constant("text")), b: fc.nat(9) }),
    },
    { noNullPrototype: true },
  );
  const message = fc.array(reading, { minLength: 1, maxLength: 12 });
  const step = fc.oneof({ weight: 3, arbitrary: message }, { weight: 1, arbitrary: fc.constant("roll up" as const) });
  const query = fc.record({
    from: fc.integer({ min: -HOUR, max: 3 * HOUR }).map((ms) => new Date(start + ms)),
    length: fc.integer({ min: 1, max: 4 * HOUR }),
    bucketSeconds: fc.constantFrom(30, 60, 300, 420, 3600, 7200),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 10 }),
      fc.array(query, { minLength: 2, maxLength: 2 }),
      async (steps, queries) => {
        const device = await fixture.device(caller);
        for (const each of steps) {
          if (each === "roll up") {
            fixture.clock.advance(3 * MINUTE);
            await fixture.telemetry.rollUp();
          } else await device.publish(each.map(({ ts, values }) => ({ ts, values: { ...values } })));
        }
        for (const { from, length, bucketSeconds } of queries)
          for (const metric of ["a", "b"])
            await assertSeries(device, metric, { from, to: new Date(from.getTime() + length), bucketSeconds });
      },
    ),
    { numRuns: onPostgres ? 40 : 8 },
  );
});

test("the current hour is read from its readings, and computed two minutes after its end", async () => {
  const device = await fixture.device(caller);
  const hour = Math.ceil(fixture.clock.now().getTime() / HOUR) * HOUR;
  fixture.clock.advance(hour - fixture.clock.now().getTime());
  const query = { from: new Date(hour), to: new Date(hour + DAY), bucketSeconds: 3600 };
  for (const n of [1, 2, 6]) {
    fixture.clock.advance(MINUTE);
    await device.publish({ a: n });
  }
  const { points } = await fixture.telemetry.readSeries(caller, device.id, "a", query);
  assert.deepEqual(points, [{ at: new Date(hour), min: 1, avg: 3, max: 6, count: 3 }]);
  fixture.clock.advance(58 * MINUTE);
  await fixture.telemetry.rollUp();
  assert.equal(await dirtyHours(device), 1);
  fixture.clock.advance(MINUTE);
  await fixture.telemetry.rollUp();
  assert.equal(await dirtyHours(device), 0);
  assert.deepEqual((await fixture.telemetry.readSeries(caller, device.id, "a", query)).points, points);
});

test("rolling up twice, in two processes and after one that failed gives the same result", async () => {
  const device = await fixture.device(caller);
  const start = fixture.clock.now().getTime() - 10 * HOUR;
  await device.publish(
    Array.from({ length: 60 }, (_, n) => ({ ts: start + n * 10 * MINUTE - n, values: { a: n, b: -n } })),
  );
  fixture.clock.advance(3 * MINUTE);
  const failing = fixture.database.db.transaction().execute(async (tx) => {
    const now = fixture.clock.now();
    const dirty = await claimDirtyHours(tx, now, await listDueTenants(tx, now, 100), 100);
    assert.ok(dirty.length >= 10);
    await recomputeHours(tx, dirty, fixture.clock.now());
    throw new Error("killed");
  });
  await assert.rejects(failing, /killed/);
  await Promise.all([fixture.telemetry.rollUp(), fixture.anotherProcess().rollUp()]);
  await rollUpAll();
  assert.equal(await dirtyHours(device), 0);
  const query = { from: new Date(start - HOUR), to: new Date(start + 12 * HOUR), bucketSeconds: 3600 };
  for (const metric of ["a", "b"]) await assertSeries(device, metric, query);
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
    await rollUpAll();
  }
});

test("readings are listed newest first, page by page, of the range and the metric only", async () => {
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
  await assert.rejects(read({ cursor: "x" }), /not a cursor/);
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
    await assertSeries(device, "a", query);
    await fixture.telemetry.rollUp();
    assert.equal(await dirtyHours(device), 0);
    await assertSeries(device, "a", query);
  });

  test("a reading that arrives while its hour is computed waits, and the hour is computed again", async () => {
    const device = await fixture.device(caller);
    const ts = fixture.clock.now().getTime() - 5 * HOUR;
    await device.publish({ ts, values: { a: 1 } });
    fixture.clock.advance(3 * MINUTE);
    let late: Promise<void> | undefined;
    await fixture.database.db.transaction().execute(async (tx) => {
      const now = fixture.clock.now();
      const dirty = await claimDirtyHours(tx, now, await listDueTenants(tx, now, 100), 1_000);
      late = device.publish({ ts: ts + 1, values: { a: 2 } });
      while (
        (
          await fixture.query(
            `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid' AND ${OF_THIS_DATABASE}`,
          )
        ).length === 0
      );
      await recomputeHours(tx, dirty, fixture.clock.now());
    });
    await late;
    assert.equal(await dirtyHours(device), 1);
    const query = { from: new Date(ts - HOUR), to: new Date(ts + HOUR), bucketSeconds: 3600 };
    await assertSeries(device, "a", query);
    await rollUpAll();
    assert.equal(await dirtyHours(device), 0);
    await assertSeries(device, "a", query);
  });

  test("several processes store and roll up at once, and every reading is in the series in the end", async () => {
    const devices = await Promise.all(Array.from({ length: 8 }, () => fixture.device(caller)));
    const processes = [fixture.telemetry, fixture.anotherProcess(), fixture.anotherProcess()];
    const start = fixture.clock.now().getTime() - 3 * HOUR;
    let storing = true;
    const store = async (device: TestSender, which: number) => {
      for (let n = 0; n < 120; n++)
        await device.publish({ ts: start + n * 30 * SECOND + which, values: { a: n } }, processes[(n + which) % 3]!);
    };
    const stored = Promise.all(devices.map(store)).finally(() => {
      storing = false;
    });
    let computed = 0;
    const compute = async (which: number) => {
      for (; storing; computed++) {
        fixture.clock.advance(3 * MINUTE);
        await processes[which]!.rollUp();
      }
    };
    await Promise.all([stored, compute(0), compute(1)]);
    await rollUpAll();
    assert.ok(computed > 10, "storing and rolling up hardly overlapped");
    const query = { from: new Date(start - HOUR), to: new Date(start + 3 * HOUR), bucketSeconds: 3600 };
    for (const device of devices) {
      assert.equal(await dirtyHours(device), 0);
      await assertSeries(device, "a", query);
    }
  });
}
