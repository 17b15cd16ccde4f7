import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesArray, plainArray, textArray } from "../../db/array-literal.ts";
import { changeDevices } from "../latest/change-devices.ts";
import { DeviceLatest } from "../latest/device-latest.ts";
import { inOrderOfDevices, type PreparedMessage } from "../message.ts";
import { createServerTime } from "../parse/server-time.ts";

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

/** Applies a batch to devices without latest values. */
function latestAfter(sent: readonly PreparedMessage[]): Map<string, DeviceLatest> {
  const ordered = inOrderOfDevices(sent);
  const devices = new Map(ordered.map(({ deviceUid }) => [deviceUid, new DeviceLatest()]));
  const seen = new Map(ordered.map(({ deviceUid, receivedAt }) => [deviceUid, receivedAt]));
  changeDevices({ grown: () => undefined }, devices, ordered, { seen, limit: 10 });
  return devices;
}

function valuesOf({ metrics, numbers, times }: DeviceLatest): [metric: string, value: number, time: number][] {
  return metrics.map((metric, place) => [metric, numbers[place]!, times[place]!]);
}

test("the latest value of a metric is the newest one, and the one sent last wins a shared time", () => {
  fc.assert(
    fc.property(messages, (sent) => {
      const expected = new Map<string, [metric: string, value: unknown, time: number]>();
      for (const { deviceUid, readings } of sent) {
        for (const { metrics, values, time } of readings) {
          metrics.forEach((metric, at) => {
            const known = expected.get(deviceUid + metric);
            if (!known || known[2] <= time) expected.set(deviceUid + metric, [metric, values[at], time]);
          });
        }
      }
      const found = [...latestAfter(sent)].flatMap(([uid, latest]) =>
        valuesOf(latest).map((value) => [uid + value[0], value] as const),
      );
      assert.deepEqual(new Map(found), new Map([...expected].sort(([a], [b]) => rank(found, a) - rank(found, b))));
    }),
  );
});

function rank(rows: readonly (readonly [string, unknown])[], key: string): number {
  return rows.findIndex(([other]) => other === key);
}

test("a part that is not evaluated changes no latest value, whatever else the batch contains", () => {
  const part: PreparedMessage = { ...message("d1", 9, { a: 2 }), evaluated: [] };
  const latest = latestAfter([message("d1", 5, { a: 1 }), part, message("d1", 5, { a: 3 })]);
  assert.deepEqual(valuesOf(latest.get("d1")!), [["a", 3, 5]]);
  assert.deepEqual(valuesOf(latestAfter([part]).get("d1")!), []);
});

test("messages are sorted by device, and those of one device stay in the order in which they were sent", () => {
  fc.assert(
    fc.property(messages, (sent) => {
      const ordered = inOrderOfDevices(sent);
      assert.deepEqual(
        ordered.map(({ deviceUid }) => deviceUid),
        sent.map(({ deviceUid }) => deviceUid).sort(),
      );
      for (const uid of ["d1", "d2", "d3"]) {
        const of = (all: readonly PreparedMessage[]) => all.filter(({ deviceUid }) => deviceUid === uid);
        assert.deepEqual(of(ordered), of(sent));
      }
    }),
  );
});

test("array literals quote and escape text, and write undefined as NULL", () => {
  assert.equal(plainArray([1, -0.5, true, undefined, "x"]), "{1,-0.5,true,NULL,x}");
  assert.equal(textArray(["a", undefined, "NULL", "", 'q"b\\', "{,}"]), '{"a",NULL,"NULL","","q\\"b\\\\","{,}"}');
  assert.equal(bytesArray([Buffer.from([0, 255]), Buffer.alloc(0)]), '{"\\\\x00ff","\\\\x"}');
});

test("a device never gets the same server time twice, and gets the clock's time unless that is already taken", () => {
  const time = createServerTime();
  assert.deepEqual([time.next("a", 5), time.next("a", 5), time.next("b", 5)], [5_000, 5_001, 5_000]);
  const burst = Array.from({ length: 1_500 }, () => time.next("a", 6));
  assert.deepEqual([burst[0], burst.at(-1)], [6_000, 7_499]);
  assert.deepEqual([time.next("a", 7), time.next("b", 7), time.next("a", 8)], [7_500, 7_000, 8_000]);
});
