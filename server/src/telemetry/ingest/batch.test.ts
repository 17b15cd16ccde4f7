import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesArray, plainArray, textArray } from "../../db/array-literal.ts";
import { type PreparedMessage, toColumns } from "./batch.ts";
import { createServerTime } from "./server-time.ts";

function message(deviceUid: string, time: number, values: Record<string, number>, receivedAt = time): PreparedMessage {
  const reading = { time, timeReplaced: false, metrics: Object.keys(values), values: Object.values(values) };
  return { tenantId: "t", deviceUid, receivedAt, readings: [reading], rejected: undefined };
}

const messages = fc.array(
  fc
    .tuple(
      fc.constantFrom("d1", "d2", "d3"),
      fc.nat(4),
      fc.dictionary(fc.constantFrom("a", "b"), fc.nat(), { minKeys: 1 }),
    )
    .map(([uid, time, values]) => message(uid, time, { ...values })),
  { maxLength: 30 },
);

test("a batch has one row per device, metric and time, with the value sent last", () => {
  fc.assert(
    fc.property(messages, (sent) => {
      const { deviceUids, metrics, times, values } = toColumns(sent);
      const rows = deviceUids.map((uid, row) => [`${uid} ${metrics[row]} ${times[row]}`, values[row]] as const);
      const expected = sent.flatMap(({ deviceUid, readings: [reading] }) =>
        reading!.metrics.map((metric, i) => [`${deviceUid} ${metric} ${reading!.time}`, reading!.values[i]] as const),
      );
      assert.equal(new Set(rows.map(([key]) => key)).size, rows.length);
      assert.deepEqual(new Map(rows), new Map([...expected].sort(([a], [b]) => rank(rows, a) - rank(rows, b))));
    }),
  );
});

function rank(rows: readonly (readonly [string, unknown])[], key: string): number {
  return rows.findIndex(([other]) => other === key);
}

test("the newest row of each device and metric is marked, and no other", () => {
  fc.assert(
    fc.property(messages, (sent) => {
      const { deviceUids, metrics, times, newest } = toColumns(sent);
      const expected = deviceUids.map((uid, row) =>
        times.every(
          (time, other) => deviceUids[other] !== uid || metrics[other] !== metrics[row] || time <= times[row]!,
        ),
      );
      assert.deepEqual(newest, expected);
    }),
  );
});

test("a part that is not evaluated changes no latest value, whatever is beside it", () => {
  const part: PreparedMessage = { ...message("d1", 9, { a: 2 }), evaluated: [] };
  const { times, values, newest } = toColumns([message("d1", 5, { a: 1 }), part, message("d1", 5, { a: 3 })]);
  assert.deepEqual({ times, values, newest }, { times: [5, 9], values: [3, 2], newest: [true, false] });
  assert.deepEqual(toColumns([part]).newest, [false]);
});

test("rows are in order of their devices, so that processes lock them in one order", () => {
  fc.assert(
    fc.property(messages, (sent) => {
      const { deviceUids } = toColumns(sent);
      assert.deepEqual(deviceUids, deviceUids.toSorted());
    }),
  );
});

test("array literals quote and escape text, and write undefined as NULL", () => {
  assert.equal(plainArray([1, -0.5, true, undefined, "x"]), "{1,-0.5,true,NULL,x}");
  assert.equal(textArray(["a", undefined, "NULL", "", 'q"b\\', "{,}"]), '{"a",NULL,"NULL","","q\\"b\\\\","{,}"}');
  assert.equal(bytesArray([Buffer.from([0, 255]), Buffer.alloc(0)]), '{"\\\\x00ff","\\\\x"}');
});

test("a device never gets the same server time twice, and gets the clock's time unless it is used already", () => {
  const time = createServerTime();
  assert.deepEqual([time.next("a", 5), time.next("a", 5), time.next("b", 5)], [5_000, 5_001, 5_000]);
  const burst = Array.from({ length: 1_500 }, () => time.next("a", 6));
  assert.deepEqual([burst[0], burst.at(-1)], [6_000, 7_499]);
  assert.deepEqual([time.next("a", 7), time.next("b", 7), time.next("a", 8)], [7_500, 7_000, 8_000]);
});
