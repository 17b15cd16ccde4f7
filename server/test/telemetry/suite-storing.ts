import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import type { Caller } from "../../src/access/access.ts";
import type { TelemetryFixture, TestSender } from "../harness/telemetry.ts";
import { latestValues, storedRows } from "./stored-values.ts";

/** Declares the tests of storing published messages, for direct storage and the stream. */
export function storingRules(given: () => TelemetryFixture): void {
  let fixture: TelemetryFixture;
  let caller: Caller;
  before(async () => {
    fixture = given();
    caller = await fixture.tenant();
  });

  const rowsOf = (device: TestSender) => storedRows(fixture, device);
  const latestOf = (device: TestSender) => latestValues(fixture, caller, device);

  test("a message sent twice is one row, in one batch and in two", async () => {
    const device = await fixture.device(caller);
    const ts = fixture.clock.now().getTime() - 1000;
    const message = { ts, values: { temperature: 21.5 } };
    await Promise.all([device.publish(message), device.publish(message)]);
    await device.publish(message);
    assert.deepEqual(await rowsOf(device), [["temperature", ts, 21.5]]);
  });

  test("of several values with one timestamp the last one sent is stored, within a batch and across batches", async () => {
    const device = await fixture.device(caller);
    const ts = fixture.clock.now().getTime() - 1000;
    const send = (n: number) => device.publish({ ts, values: { count: n } });
    await Promise.all(Array.from({ length: 5_000 }, (_, n) => send(n)));
    assert.deepEqual(await rowsOf(device), [["count", ts, 4_999]]);
    assert.deepEqual(await latestOf(device), { count: 4_999 });
    await send(-1);
    assert.deepEqual(await rowsOf(device), [["count", ts, -1]]);
    assert.deepEqual(await latestOf(device), { count: -1 });
  });

  test("two messages without a timestamp are two rows, even within one millisecond", async () => {
    const device = await fixture.device(caller);
    await Promise.all([device.publish({ count: 1 }), device.publish({ count: 2 })]);
    await device.publish({ count: 3 });
    assert.deepEqual(
      (await rowsOf(device)).map(([, , value]) => value),
      [1, 2, 3],
    );
    assert.deepEqual(await latestOf(device), { count: 3 });
  });

  test("buffered records with implausible timestamps stay separate rows in their order", async () => {
    const device = await fixture.device(caller);
    await device.publish([1, 2, 3].map((count) => ({ ts: count, values: { count } })));
    assert.deepEqual(
      (await rowsOf(device)).map(([, , value]) => value),
      [1, 2, 3],
    );
    const [value] = await fixture.telemetry.listLatest(caller, device.id);
    assert.deepEqual(value, {
      metric: "count",
      value: 3,
      at: fixture.clock.now(),
      receivedAt: fixture.clock.now(),
      timeReplaced: true,
    });
  });

  test("late data is stored without displacing a newer latest value", async () => {
    const device = await fixture.device(caller);
    const now = fixture.clock.now().getTime();
    await device.publish({ ts: now - 1_000, values: { a: 2 } });
    await device.publish({ ts: now - 2_000, values: { a: 1, b: 1 } });
    await device.publish([
      { ts: now - 500, values: { b: 3 } },
      { ts: now - 700, values: { b: 2 } },
    ]);
    assert.deepEqual(await latestOf(device), { a: 2, b: 3 });
    assert.equal((await rowsOf(device)).length, 5);
  });

  test("stored readings equal a map of the messages, however these fall into batches", async () => {
    const now = fixture.clock.now().getTime();
    const values = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(fc.integer(), fc.boolean(), fc.string()), {
      minKeys: 1,
    });
    const message = fc.record({ ts: fc.integer({ min: now - 4, max: now }), values }, { noNullPrototype: true });
    const batches = fc.array(fc.array(message, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(batches, async (sent) => {
        const device = await fixture.device(caller);
        for (const batch of sent) await Promise.all(batch.map((one) => device.publish(one)));
        const rows = new Map<string, [string, number, unknown]>();
        for (const { ts, values } of sent.flat()) {
          for (const [metric, value] of Object.entries(values)) {
            rows.set(`${metric} ${ts}`, [metric, ts, value]);
          }
        }
        const expected = [...rows.values()].sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x - y));
        assert.deepEqual(await rowsOf(device), expected);
        assert.deepEqual(
          await latestOf(device),
          Object.fromEntries(expected.map(([metric, , value]) => [metric, value])),
        );
      }),
      { numRuns: 60 },
    );
  });

  test("a device was last seen when its last message was received, even a rejected or late one", async () => {
    const device = await fixture.device(caller);
    const seen = async () =>
      (
        await fixture.query<{ at: Date }>("SELECT seen_at AS at FROM device_latest WHERE device_uid = $1", [device.uid])
      )[0]?.at;
    assert.equal(await seen(), undefined);
    await device.publish("rejected");
    assert.deepEqual(await seen(), fixture.clock.now());
    fixture.clock.advance(1);
    await device.publish({ a: 1 });
    assert.deepEqual(await seen(), fixture.clock.now());
    fixture.clock.advance(1);
    await device.publish({ ts: fixture.clock.now().getTime() - 5_000, values: { a: 2 } });
    assert.deepEqual(await seen(), fixture.clock.now());
    assert.deepEqual(await latestOf(device), { a: 1 });
  });

  test("messages with some of a device's metrics, of changing types, keep the latest value of each, in any process", async () => {
    const device = await fixture.device(caller);
    const other = fixture.anotherProcess();
    const expected: Record<string, unknown> = {};
    const messages: Record<string, unknown>[] = [
      { a: 1, b: "x", c: true },
      { b: "y" },
      { d: "z", a: 2 },
      { c: false },
      { b: 3, e: "w" },
      { a: "text", c: 0 },
      { b: "again" },
    ];
    for (const [index, values] of messages.entries()) {
      fixture.clock.advance(1);
      await device.publish(values, index % 3 === 2 ? other : fixture.telemetry);
      Object.assign(expected, values);
      assert.deepEqual(await latestOf(device), expected);
    }
    fixture.clock.advance(1);
    const ts = fixture.clock.now().getTime();
    await device.publish([
      { ts: ts - 10_000, values: { a: "late" } },
      { ts, values: { d: -0.5, f: "new" } },
    ]);
    assert.deepEqual(await latestOf(device), { ...expected, d: -0.5, f: "new" });
  });
}
