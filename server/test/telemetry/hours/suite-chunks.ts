import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import fc from "fast-check";
import type { Caller } from "../../../src/access/access.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/lib/clock.ts";
import { onPostgres } from "../../harness/database/database.ts";
import type { TelemetryFixture } from "../../harness/telemetry.ts";
import { type ChunkReads, chunkReads } from "./chunk-reads.ts";
import type { Sent } from "./sent-readings.ts";

/**
 * Declares the tests of reading messages whose days are stored in chunks, for direct storage and the stream.
 * @param runs of the property
 */
export function chunkRules(given: () => TelemetryFixture, runs: number): void {
  let fixture: TelemetryFixture;
  let caller: Caller;
  let reads: ChunkReads;
  before(async () => {
    fixture = given();
    caller = await fixture.tenant();
    reads = chunkReads(fixture, caller);
  });
  beforeEach(() => atNoon(fixture));

  test("readings are the same as rows, in chunks, and with late messages beside them", async () => {
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
      { weight: 2, arbitrary: fc.constantFrom("rollUp" as const, "retire" as const) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 2, maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        async (steps, limit) => {
          const start = reads.yesterday(4);
          const device = await fixture.device(caller);
          const sent: Sent = new Map();
          for (const each of [...steps, "rollUp"] as const) {
            if (each === "rollUp") await reads.rollUp();
            else if (each === "retire") await fixture.telemetry.retireMessages();
            else
              await reads.send(
                device,
                sent,
                each.map(({ at, values }) => ({ ts: start + at, values: { ...values } })),
              );
            await reads.assertReads(device, sent, [start - HOUR, start + 2 * DAY], limit);
          }
          await reads.assertReads(device, sent, [start + 10 * MINUTE, start + DAY + 20 * MINUTE], limit);
          assert.equal((await reads.stored(device)).rows, 0);
        },
      ),
      { numRuns: runs },
    );
  });

  test("the rows of a day are dropped when all of them are in chunks, at least a day after its end", async () => {
    const { device, sent, start } = await reads.deviceWithDays();
    const latest = reads.yesterday(1) + HOUR;
    await reads.send(device, sent, [{ ts: latest, values: { a: 1 } }]);
    await fixture.telemetry.retireMessages();
    assert.deepEqual(await reads.stored(device), { rows: 361, chunks: 0 }, "hours that are marked stay");
    await reads.rollUp();
    assert.deepEqual(await reads.stored(device), { rows: 1, chunks: 7 });
    await reads.assertReads(device, sent, [start, latest + SECOND]);
    await reads.assertReads(device, sent, [start + 30 * MINUTE, start + 20 * HOUR], 7);
    const { items } = await fixture.telemetry.listReadings(caller, device.id, "c", {
      from: new Date(start),
      to: new Date(start + MINUTE),
    });
    assert.deepEqual([items[0]!.value, items[0]!.timeReplaced], ["text 0", false]);
    assert.ok(items[0]!.receivedAt.getTime() > start);
  });

  test("a late message of a day in chunks is readable immediately, and joins the chunk of its hour", async () => {
    const { device, sent, start } = await reads.deviceWithDays();
    await reads.rollUp();
    await reads.send(device, sent, [
      { ts: start + 30 * SECOND, values: { a: 7, b: true, c: "late" } },
      { ts: start, values: { a: 8, b: false, c: "replaced" } },
      { ts: start + HOUR, values: { a: 9 } },
    ]);
    const range: [number, number] = [start - HOUR, start + 2 * DAY];
    await reads.assertReads(device, sent, range);
    await fixture.telemetry.retireMessages();
    assert.equal((await reads.stored(device)).rows, 3, "hours that are marked stay");
    await reads.assertReads(device, sent, range);
    await reads.rollUp();
    assert.deepEqual(await reads.stored(device), { rows: 0, chunks: 7 });
    await reads.assertReads(device, sent, range);
  });

  test("chunks past their retention are dropped with their day", async () => {
    const { device } = await reads.deviceWithDays();
    await reads.rollUp();
    for (let day = 0; day < 90; day++) fixture.clock.advance(DAY);
    await fixture.telemetry.maintainPartitions();
    assert.deepEqual(await reads.stored(device), { rows: 0, chunks: 0 });
    const { length } = await fixture.query(
      "SELECT FROM pg_partition_tree('telemetry_chunks') WHERE isleaf AND level = 2 AND relid::regclass::text LIKE $1",
      [`%${new Date(reads.yesterday(93)).toISOString().slice(0, 10).replaceAll("-", "")}`],
    );
    assert.equal(length, 0);
  });

  if (onPostgres) {
    test("messages that arrive while their day is dropped are all readable afterwards", async () => {
      const { device, sent, start } = await reads.deviceWithDays();
      await reads.rollUp();
      let sending = true;
      const sender = (async () => {
        for (let n = 0; n < 60; n++)
          await reads.send(device, sent, [{ ts: start + HOUR + n * SECOND, values: { a: n, d: n } }]);
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
      await reads.assertReads(device, sent, [start, start + 2 * DAY]);
      await reads.rollUp();
      assert.equal((await reads.stored(device)).rows, 0);
      await reads.assertReads(device, sent, [start, start + 2 * DAY]);
    });
  }
}

/** At noon no test crosses midnight while it settles, whatever time the previous tests took. */
export function atNoon({ clock }: Pick<TelemetryFixture, "clock">): void {
  const intoDay = clock.now().getTime() % DAY;
  clock.advance(DAY - intoDay + DAY / 2);
}
