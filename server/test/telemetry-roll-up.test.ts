import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { Caller } from "../src/access/access.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../src/lib/clock.ts";
import { computeHours, storeMarks, takeMarks } from "../src/telemetry/charts/roll-up-store.ts";
import type { SeriesQuery } from "../src/telemetry/telemetry.ts";
import { onPostgres } from "./harness/database.ts";
import { openTelemetry, type TelemetryBench, type TestSender } from "./harness/telemetry.ts";

let bench: TelemetryBench;
let caller: Caller;
before(async () => {
  bench = await openTelemetry();
  caller = await bench.tenant();
});
after(() => bench.close());

/** The series as its readings say, read one by one. */
async function naive(device: TestSender, metric: string, { from, to }: SeriesQuery, bucketSeconds: number) {
  const rows = await bench.query<{ us: string; number: number | null }>(
    `SELECT (extract(epoch FROM ts) * 1000000)::bigint::text AS us, number FROM telemetry WHERE device_uid = $1 AND metric = $2`,
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

async function assertAsNaive(device: TestSender, metric: string, query: SeriesQuery): Promise<void> {
  const { bucketSeconds, points } = await bench.telemetry.series(caller, device.id, metric, query);
  assert.deepEqual(points, await naive(device, metric, query, bucketSeconds));
}

async function marks(device: TestSender): Promise<number> {
  return (await bench.query("SELECT FROM roll_up_marks WHERE device_uid = $1", [device.uid])).length;
}

/** Lets what was stored rest, and computes all of it. */
async function settle(): Promise<void> {
  bench.clock.advance(HOUR + 3 * MINUTE);
  await bench.telemetry.rollUp();
}

test("a series is what its readings say, whatever comes late, is overwritten or computed in between", async () => {
  const start = bench.clock.now().getTime() - 20 * HOUR;
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
        const device = await bench.device(caller);
        for (const each of steps) {
          if (each === "roll up") {
            bench.clock.advance(3 * MINUTE);
            await bench.telemetry.rollUp();
          } else await device.publish(each.map(({ ts, values }) => ({ ts, values: { ...values } })));
        }
        for (const { from, length, bucketSeconds } of queries)
          for (const metric of ["a", "b"])
            await assertAsNaive(device, metric, { from, to: new Date(from.getTime() + length), bucketSeconds });
      },
    ),
    { numRuns: onPostgres ? 40 : 8 },
  );
});

test("an hour under way is read from its readings, and computed two minutes after its end", async () => {
  const device = await bench.device(caller);
  const hour = Math.ceil(bench.clock.now().getTime() / HOUR) * HOUR;
  bench.clock.advance(hour - bench.clock.now().getTime());
  const query = { from: new Date(hour), to: new Date(hour + DAY), bucketSeconds: 3600 };
  for (const n of [1, 2, 6]) {
    bench.clock.advance(MINUTE);
    await device.publish({ a: n });
  }
  const { points } = await bench.telemetry.series(caller, device.id, "a", query);
  assert.deepEqual(points, [{ at: new Date(hour), min: 1, avg: 3, max: 6, count: 3 }]);
  bench.clock.advance(58 * MINUTE);
  await bench.telemetry.rollUp();
  assert.equal(await marks(device), 1);
  bench.clock.advance(MINUTE);
  await bench.telemetry.rollUp();
  assert.equal(await marks(device), 0);
  assert.deepEqual((await bench.telemetry.series(caller, device.id, "a", query)).points, points);
});

test("computing twice, in two processes and after one that died computes the same", async () => {
  const device = await bench.device(caller);
  const start = bench.clock.now().getTime() - 10 * HOUR;
  await device.publish(
    Array.from({ length: 60 }, (_, n) => ({ ts: start + n * 10 * MINUTE - n, values: { a: n, b: -n } })),
  );
  bench.clock.advance(3 * MINUTE);
  const died = bench.database.db.transaction().execute(async (tx) => {
    const marked = await takeMarks(tx, bench.clock.now(), 100);
    assert.ok(marked.length >= 10);
    await computeHours(tx, marked, bench.clock.now());
    throw new Error("killed");
  });
  await assert.rejects(died, /killed/);
  await Promise.all([bench.telemetry.rollUp(), bench.another().rollUp()]);
  await settle();
  assert.equal(await marks(device), 0);
  const query = { from: new Date(start - HOUR), to: new Date(start + 12 * HOUR), bucketSeconds: 3600 };
  for (const metric of ["a", "b"]) await assertAsNaive(device, metric, query);
});

test("numbers too large to add up are still a chart", async () => {
  const device = await bench.device(caller);
  const start = bench.clock.now().getTime() - 5 * HOUR;
  await device.publish([1, 2, 3].map((n) => ({ ts: start + n, values: { a: 1.7e308 } })));
  const query = { from: new Date(start - HOUR), to: new Date(start + HOUR), bucketSeconds: 3600 };
  for (let computed = 0; computed < 2; computed++) {
    const { points } = await bench.telemetry.series(caller, device.id, "a", query);
    assert.deepEqual(
      points.map(({ min, max, count }) => [min, max, count]),
      [[1.7e308, 1.7e308, 3]],
    );
    await settle();
  }
});

test("readings are read newest first, page by page, of the range and the metric alone", async () => {
  const device = await bench.device(caller);
  const start = bench.clock.now().getTime() - 3 * DAY;
  const values = [1, "two", true, 4, 5];
  await device.publish(values.map((a, n) => ({ ts: start + (n * DAY) / 2, values: { a, other: 0 } })));
  const query = { from: new Date(start), to: new Date(start + 2 * DAY), limit: 2 };
  const pages: unknown[][] = [];
  let cursor: string | undefined;
  do {
    const page = await bench.telemetry.readings(caller, device.id, "a", { ...query, cursor });
    pages.push(page.items.map(({ value }) => value));
    cursor = page.next;
  } while (cursor !== undefined);
  assert.deepEqual(pages, [
    [4, true],
    ["two", 1],
  ]);
  const read = (more: object) => bench.telemetry.readings(caller, device.id, "a", { ...query, ...more });
  await assert.rejects(read({ limit: 0 }), /1 to 1000/);
  await assert.rejects(read({ cursor: "x" }), /not a cursor/);
});

test("whoever does not see a device reads neither its readings nor its series", async () => {
  const device = await bench.device(caller);
  await device.publish({ a: 1 });
  const query = { from: new Date(0), to: bench.clock.now() };
  const stranger = await bench.tenant();
  await assert.rejects(bench.telemetry.readings(stranger, device.id, "a", query), /no such device/);
  await assert.rejects(bench.telemetry.series(stranger, device.id, "a", query), /no such device/);
});

if (onPostgres) {
  test("an hour that somebody is storing into is left alone until that is committed", async () => {
    const device = await bench.device(caller);
    const ts = bench.clock.now().getTime() - 5 * HOUR;
    await device.publish({ ts, values: { a: 1 } });
    bench.clock.advance(3 * MINUTE);
    await bench.database.db.transaction().execute(async (tx) => {
      const hour = Math.floor(ts / HOUR);
      await storeMarks(tx, { deviceUids: [device.uid], hours: [hour] }, bench.clock.now().getTime());
      await tx.updateTable("telemetry").set({ number: 2 }).where("device_uid", "=", device.uid).execute();
      await bench.telemetry.rollUp();
    });
    const query = { from: new Date(ts - HOUR), to: new Date(ts + HOUR), bucketSeconds: 3600 };
    await assertAsNaive(device, "a", query);
    await bench.telemetry.rollUp();
    assert.equal(await marks(device), 0);
    await assertAsNaive(device, "a", query);
  });

  test("a reading that arrives while its hour is computed waits, and has it computed again", async () => {
    const device = await bench.device(caller);
    const ts = bench.clock.now().getTime() - 5 * HOUR;
    await device.publish({ ts, values: { a: 1 } });
    bench.clock.advance(3 * MINUTE);
    let late: Promise<void> | undefined;
    await bench.database.db.transaction().execute(async (tx) => {
      const marked = await takeMarks(tx, bench.clock.now(), 1_000);
      late = device.publish({ ts: ts + 1, values: { a: 2 } });
      while ((await bench.query("SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")).length === 0);
      await computeHours(tx, marked, bench.clock.now());
    });
    await late;
    assert.equal(await marks(device), 1);
    const query = { from: new Date(ts - HOUR), to: new Date(ts + HOUR), bucketSeconds: 3600 };
    await assertAsNaive(device, "a", query);
    await settle();
    assert.equal(await marks(device), 0);
    await assertAsNaive(device, "a", query);
  });

  test("however storing and computing meet, in several processes, every reading is in the series in the end", async () => {
    const devices = await Promise.all(Array.from({ length: 8 }, () => bench.device(caller)));
    const processes = [bench.telemetry, bench.another(), bench.another()];
    const start = bench.clock.now().getTime() - 3 * HOUR;
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
        bench.clock.advance(3 * MINUTE);
        await processes[which]!.rollUp();
      }
    };
    await Promise.all([stored, compute(0), compute(1)]);
    await settle();
    assert.ok(computed > 10, "storing and computing have hardly met");
    const query = { from: new Date(start - HOUR), to: new Date(start + 3 * HOUR), bucketSeconds: 3600 };
    for (const device of devices) {
      assert.equal(await marks(device), 0);
      await assertAsNaive(device, "a", query);
    }
  });
}
