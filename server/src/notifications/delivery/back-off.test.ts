import assert from "node:assert/strict";
import { test } from "node:test";
import { addMs, DAY, HOUR, SECOND } from "../../lib/clock.ts";
import { retryAt } from "./back-off.ts";

const NOW = new Date("2026-11-21T12:00:00Z");

test("the delay before an attempt doubles, with 25 % jitter, until a day has passed", () => {
  const delay = (attempt: number, chance = 0.5) => retryAt(NOW, attempt, NOW, chance)!.getTime() - NOW.getTime();
  assert.deepEqual(
    [1, 2, 3, 4].map((attempt) => delay(attempt)),
    [5, 10, 20, 40].map((n) => n * SECOND),
  );
  assert.deepEqual([delay(1, 0), delay(1, 1), delay(99)], [3.75 * SECOND, 6.25 * SECOND, HOUR]);
  assert.equal(retryAt(addMs(NOW, HOUR / 2 - DAY), 20, NOW, 0.5), undefined);
  let [at, attempts]: [Date | undefined, number] = [NOW, 0];
  while (at) at = retryAt(NOW, ++attempts, at, 0.5);
  assert.ok(attempts > 20 && attempts < 40, `${attempts} attempts`);
});
