import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Priority } from "../queues/priority.ts";
import { admit } from "./admission.ts";

const items = (...counts: number[]) =>
  counts.flatMap((count, priority) => Array.from({ length: count }, () => ({ priority: priority as Priority })));
const by = (list: readonly { priority: Priority }[]) =>
  [0, 1, 2, 3].map((priority) => list.filter((item) => item.priority === priority).length);

test("critical pages to people are always accepted, and other messages leave room for critical ones and for people", () => {
  const counts = { criticalToChannels: 0, others: 0 };
  assert.deepEqual(by(admit(items(0, 0, 0, 100), counts, 8).accepted), [0, 0, 0, 6]);
  assert.deepEqual(by(admit(items(50, 5, 3, 3), counts, 8).accepted), [50, 5, 2, 0]);
  assert.deepEqual(by(admit(items(9, 9, 9, 9), counts, 8).accepted), [9, 3, 0, 0]);
  assert.deepEqual(counts, { criticalToChannels: 8, others: 8 });
});

test("people come before channels in one batch, and every message is accepted or suppressed", () => {
  const count = fc.nat(30);
  fc.assert(
    fc.property(count, count, count, count, fc.integer({ min: 1, max: 40 }), (a, b, c, d, most) => {
      const { accepted, suppressed } = admit(items(a, b, c, d), { criticalToChannels: 0, others: 0 }, most);
      assert.equal(accepted.length + suppressed.length, a + b + c + d);
      const [toPeople, toChannels] = [by(accepted)[2]!, by(accepted)[3]!];
      assert.equal(toPeople, Math.min(c, most));
      assert.ok(toPeople + toChannels <= most);
    }),
  );
});
