import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import fc from "fast-check";
import type { Caller } from "../src/access/access.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../src/lib/clock.ts";
import { claimDirtyHours, listDueTenants } from "../src/telemetry/roll-up/dirty-hour-store.ts";
import { recomputeHours } from "../src/telemetry/roll-up/roll-up-store.ts";
import { readStoredReadings } from "../src/telemetry/telemetry.ts";
import { onPostgres } from "./harness/database.ts";
import { assertReads as assertReadsOf, type Sent, send, stored as storedOf } from "./harness/sent-readings.ts";
import { openTelemetryFixture, type TelemetryFixture, type TestSender } from "./harness/telemetry.ts";

let fixture: TelemetryFixture;
let caller: Caller;
before(async () => {
  fixture = await openTelemetryFixture();
  caller = await fixture.tenant();
});
// At noon no test crosses midnight while it settles, whatever the tests before it took.
beforeEach(() => {
  const intoDay = fixture.clock.now().getTime() % DAY;
  fixture.clock.advance(DAY - intoDay + DAY / 2);
});
after(() => fixture.close());

const stored = (device: TestSender) => storedOf(fixture, device);
const assertReads = (...of: DropFirst<Parameters<typeof assertReadsOf>>) => assertReadsOf({ fixture, caller }, ...of);
type DropFirst<All> = All extends [unknown, ...infer Rest] ? Rest : never;

/** Rolls up what is due, and drops days that are in chunks. */
async function settle(): Promise<void> {
  fixture.clock.advance(3 * MINUTE);
  await fixture.telemetry.rollUp();
  await fixture.telemetry.retireMessages();
}

const yesterday = (days: number) => Math.floor(fixture.clock.now().getTime() / DAY - days) * DAY;

test("what a device sends is read the same as rows, in chunks, and with late messages beside them", async () => {
  const values = fc.dictionary(
    fc.constantFrom("a", "b", "c"),
    fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
      fc.nat(9),
      fc.boolean(),
      fc.constantFrom("x", 'é\n"'),
    ),
    { minKeys: 1, maxKeys: 3 },
  );
  const at = fc
    .tuple(fc.nat(1), fc.constantFrom(0, 1, 23), fc.nat(3))
    .map(([day, hour, n]) => day * DAY + hour * HOUR + n * 20 * MINUTE - (n % 2));
  const message = fc.array(fc.record({ at, values }, { noNullPrototype: true }), { minLength: 1, maxLength: 8 });
  const step = fc.oneof(
    { weight: 3, arbitrary: message },
    { weight: 2, arbitrary: fc.constantFrom("settle" as const, "retire" as const) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 8 }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, limit) => {
        const start = yesterday(4);
        const device = await fixture.device(caller);
        const sent: Sent = new Map();
        for (const each of [...steps, "settle"] as const) {
          if (each === "settle") await settle();
          else if (each === "retire") await fixture.telemetry.retireMessages();
          else
            await send(
              device,
              sent,
              each.map(({ at, values }) => ({ ts: start + at, values: { ...values } })),
            );
          await assertReads(device, sent, [start - HOUR, start + 2 * DAY], limit);
        }
        await assertReads(device, sent, [start + 10 * MINUTE, start + DAY + 20 * MINUTE], limit);
        assert.equal((await stored(device)).rows, 0);
      },
    ),
    { numRuns: onPostgres ? 25 : 10 },
  );
});

/** A device with a reading a minute of two days, the first of which ended more than a day ago. */
async function deviceWithDays(): Promise<{ device: TestSender; sent: Sent; start: number }> {
  const device = await fixture.device(caller);
  const sent: Sent = new Map();
  const start = yesterday(3);
  for (let hour = 0; hour < 6; hour++) {
    const messages = Array.from({ length: 60 }, (_, at) => ({
      ts: start + hour * 8 * HOUR + at * MINUTE,
      values: { a: at / 10, b: at % 2 === 0, c: `text ${at}` },
    }));
    await send(device, sent, messages);
  }
  return { device, sent, start };
}

test("the rows of a day go when all of them are in chunks, and stay for a day after its end", async () => {
  const { device, sent, start } = await deviceWithDays();
  const latest = yesterday(1) + HOUR;
  await send(device, sent, [{ ts: latest, values: { a: 1 } }]);
  await fixture.telemetry.retireMessages();
  assert.deepEqual(await stored(device), { rows: 361, chunks: 0 }, "hours that are marked stay");
  await settle();
  assert.deepEqual(await stored(device), { rows: 1, chunks: 7 });
  await assertReads(device, sent, [start, latest + SECOND]);
  await assertReads(device, sent, [start + 30 * MINUTE, start + 20 * HOUR], 7);
  const { items } = await fixture.telemetry.listReadings(caller, device.id, "c", {
    from: new Date(start),
    to: new Date(start + MINUTE),
  });
  assert.deepEqual([items[0]!.value, items[0]!.timeReplaced], ["text 0", false]);
  assert.ok(items[0]!.receivedAt.getTime() > start);
});

test("a late message of a day that is in chunks is read at once, and joins the chunk of its hour", async () => {
  const { device, sent, start } = await deviceWithDays();
  await settle();
  await send(device, sent, [
    { ts: start + 30 * SECOND, values: { a: 7, b: true, c: "late" } },
    { ts: start, values: { a: 8, b: false, c: "replaced" } },
    { ts: start + HOUR, values: { a: 9 } },
  ]);
  const range: [number, number] = [start - HOUR, start + 2 * DAY];
  await assertReads(device, sent, range);
  await fixture.telemetry.retireMessages();
  assert.equal((await stored(device)).rows, 3, "hours that are marked stay");
  await assertReads(device, sent, range);
  await settle();
  assert.deepEqual(await stored(device), { rows: 0, chunks: 7 });
  await assertReads(device, sent, range);
});

test("a computation that fails half-way, and several processes at once, lose and double nothing", async () => {
  const { device, sent, start } = await deviceWithDays();
  fixture.clock.advance(3 * MINUTE);
  const failing = fixture.database.db.transaction().execute(async (tx) => {
    const now = fixture.clock.now();
    await recomputeHours(tx, await claimDirtyHours(tx, now, await listDueTenants(tx, now, 100), 1_000), now);
    throw new Error("killed");
  });
  await assert.rejects(failing, /killed/);
  await fixture.telemetry.retireMessages();
  assert.deepEqual(await stored(device), { rows: 360, chunks: 0 });
  const processes = [fixture.telemetry, fixture.anotherProcess()];
  await Promise.all(processes.flatMap((one) => [one.rollUp(), one.retireMessages()]));
  await assertReads(device, sent, [start, start + 2 * DAY]);
  await settle();
  assert.deepEqual(await stored(device), { rows: 0, chunks: 6 });
  await assertReads(device, sent, [start, start + 2 * DAY]);
});

test("days from before there were chunks are put into chunks in the background, and are read meanwhile", async () => {
  const { device, sent, start } = await deviceWithDays();
  // As the step of the schema leaves it: hours are rolled up, and have no marks and no chunks.
  await settleWithoutChunks(device);
  const left = async () =>
    (await fixture.query<{ days: number }>("SELECT count(*)::int AS days FROM chunk_backlog"))[0]!.days;
  assert.equal(await left(), 2);
  await fixture.telemetry.retireMessages();
  assert.deepEqual(await stored(device), { rows: 360, chunks: 0 });
  await assertReads(device, sent, [start, start + 2 * DAY]);
  await Promise.all([fixture.telemetry.rollUp(), fixture.anotherProcess().rollUp()]);
  await settle();
  assert.equal(await left(), 0);
  assert.deepEqual(await stored(device), { rows: 0, chunks: 6 });
  await assertReads(device, sent, [start, start + 2 * DAY]);
});

async function settleWithoutChunks({ uid }: TestSender): Promise<void> {
  fixture.clock.advance(3 * MINUTE);
  await fixture.telemetry.rollUp();
  const ofDevice = "shape_no IN (SELECT shape_no FROM telemetry_shapes WHERE device_uid = $1)";
  await fixture.query(`DELETE FROM telemetry_chunks WHERE ${ofDevice}`, [uid]);
  await fixture.query(
    `INSERT INTO chunk_backlog (retention_days, day)
     SELECT DISTINCT retention_days, (ts AT TIME ZONE 'UTC')::date FROM telemetry_messages WHERE ${ofDevice}`,
    [uid],
  );
}

test("while a node of an earlier version runs, which reads no chunks, rows stay", async () => {
  const { device } = await deviceWithDays();
  await fixture.query(
    "INSERT INTO broker_nodes (id, host, schema_number, started_at, beat_at) VALUES ($1, 'earlier', 65, now(), now())",
    [device.uid],
  );
  await settle();
  assert.deepEqual(await stored(device), { rows: 360, chunks: 6 });
  await fixture.query("DELETE FROM broker_nodes WHERE id = $1", [device.uid]);
  await settle();
  assert.deepEqual(await stored(device), { rows: 0, chunks: 6 });
});

test("chunks past their retention are dropped with their day", async () => {
  const { device } = await deviceWithDays();
  await settle();
  for (let day = 0; day < 90; day++) fixture.clock.advance(DAY);
  await fixture.telemetry.maintainPartitions();
  assert.deepEqual(await stored(device), { rows: 0, chunks: 0 });
  const { length } = await fixture.query(
    "SELECT FROM pg_partition_tree('telemetry_chunks') WHERE isleaf AND level = 2 AND relid::regclass::text LIKE $1",
    [`%${new Date(yesterday(93)).toISOString().slice(0, 10).replaceAll("-", "")}`],
  );
  assert.equal(length, 0);
});

if (onPostgres) {
  test("a day that a transaction uses is dropped later, and storing waits for neither", async () => {
    const { device, sent, start } = await deviceWithDays();
    fixture.clock.advance(3 * MINUTE);
    await fixture.telemetry.rollUp();
    await fixture.database.db.transaction().execute(async (tx) => {
      await tx.selectFrom("telemetry_messages").select("ts").execute();
      await fixture.telemetry.retireMessages();
      assert.equal((await stored(device)).rows, 360);
      await device.publish({ other: 1 });
    });
    await fixture.telemetry.retireMessages();
    assert.equal((await stored(device)).rows, 1);
    await assertReads(device, sent, [start, start + 2 * DAY]);
  });

  test("messages that arrive while their day is dropped are all read afterwards", async () => {
    const { device, sent, start } = await deviceWithDays();
    await settle();
    let sending = true;
    const sender = (async () => {
      for (let n = 0; n < 60; n++)
        await send(device, sent, [{ ts: start + HOUR + n * SECOND, values: { a: n, d: n } }]);
      sending = false;
    })();
    const other = fixture.anotherProcess();
    while (sending) {
      fixture.clock.advance(3 * MINUTE);
      await Promise.all([
        fixture.telemetry.rollUp(),
        other.rollUp(),
        fixture.telemetry.retireMessages(),
        other.retireMessages(),
      ]);
    }
    await sender;
    await assertReads(device, sent, [start, start + 2 * DAY]);
    await settle();
    assert.equal((await stored(device)).rows, 0);
    await assertReads(device, sent, [start, start + 2 * DAY]);
  });
}

test("a device that sends late messages all the time keeps no rows of others, whatever it has in the hour", async () => {
  const { device: honest, sent: ofHonest, start } = await deviceWithDays();
  const late = await fixture.device(await fixture.tenant());
  const sent: Sent = new Map();
  const send1000 = (from: number) =>
    send(
      late,
      sent,
      Array.from({ length: 1_000 }, (_, n) => ({ ts: start + 8 * HOUR + (from + n) * 300, values: { z: n } })),
    );
  for (let from = 0; from <= 10_000; from += 1_000) await send1000(from);
  fixture.clock.advance(3 * MINUTE);
  await fixture.telemetry.rollUp();
  // The hour is marked whenever the day is to go, and was never due for long.
  for (const ts of [1, 2]) {
    await send(late, sent, [{ ts: start + 8 * HOUR + ts, values: { z: -ts } }]);
    await fixture.telemetry.retireMessages();
    assert.ok((await stored(late)).rows <= 1);
    assert.equal((await stored(honest)).rows, 0);
  }
  await assertReads(honest, ofHonest, [start, start + DAY]);
  assert.deepEqual(await lateReadings(), sent.get("z"));

  /** In the order of their times, as they were sent. */
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
