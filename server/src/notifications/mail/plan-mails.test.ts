import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nextMail } from "./plan-mails.ts";

const MOST = 20;

/** Returns the mails that leave in one window, in order. */
function windowOf(waiting: { sent: number; fresh: number; again: number }): string[] {
  const left = { ...waiting };
  const mails: string[] = [];
  for (let next = nextMail({ most: MOST, ...left }); next !== "none"; next = nextMail({ most: MOST, ...left })) {
    mails.push(next);
    left.sent++;
    if (next === "again") left.again--;
    if (next === "one") left.fresh--;
    if (next === "digest") left.fresh = 0;
  }
  return mails;
}

test("up to twenty mails in a window are sent separately, and more become one digest", () => {
  assert.deepEqual(windowOf({ sent: 0, fresh: 20, again: 0 }), Array(20).fill("one"));
  assert.deepEqual(windowOf({ sent: 0, fresh: 21, again: 0 }), ["digest"]);
  assert.deepEqual(windowOf({ sent: 19, fresh: 2, again: 0 }), ["digest"]);
  assert.deepEqual(windowOf({ sent: 20, fresh: 1, again: 0 }), []);
  assert.deepEqual(windowOf({ sent: 0, fresh: 3, again: 25 }), [...Array(19).fill("again"), "digest"]);
});

test("an address never gets more than twenty mails in a window, and repetitions do not starve mails that were never sent", () => {
  const count = fc.integer({ min: 0, max: 60 });
  fc.assert(
    fc.property(count, count, count, (sent, fresh, again) => {
      const mails = windowOf({ sent, fresh, again });
      assert.ok(mails.length === 0 || sent + mails.length <= MOST);
      if (fresh > 0 && sent < MOST) assert.ok(mails.some((mail) => mail !== "again"));
    }),
  );
});
