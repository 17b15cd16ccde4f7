import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { allBefore, isSeenBy, type Snapshot, toSnapshot } from "./snapshot.ts";

const sees = ({ next, open }: Snapshot, xid: number) => BigInt(xid) < BigInt(next) && !open.includes(String(xid));

/** A history: transactions begin in order and end in any; a snapshot after each step. */
const history = fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }).map((steps) => {
  const open = new Set<number>();
  let next = 100;
  return steps.map((step) => {
    const ends = [...open][step];
    if (ends === undefined) open.add(next++);
    else open.delete(ends);
    return toSnapshot(`${Math.min(next, ...open)}:${next}:${[...open].join(",")}`);
  });
});

test("PostgreSQL's text of a snapshot is read, with and without open transactions", () => {
  assert.deepEqual(toSnapshot("10:20:10,14"), { oldest: "10", next: "20", open: ["10", "14"] });
  assert.deepEqual(toSnapshot("18446744073709551610:18446744073709551615:").open, []);
});

test("an earlier snapshot is seen by every later one, and what only remembers its oldest by itself", () => {
  fc.assert(
    fc.property(history, (snapshots) => {
      for (const [index, later] of snapshots.entries()) {
        for (const earlier of snapshots.slice(0, index + 1)) {
          assert.ok(isSeenBy(later, earlier));
          assert.ok(isSeenBy(later, allBefore(earlier.oldest)));
        }
      }
    }),
  );
});

test("what is said to be seen is seen, whatever the two have to do with each other", () => {
  fc.assert(
    fc.property(history, history, (some, others) => {
      const [a, b] = [some.at(-1)!, others.at(-1)!];
      const all = Array.from({ length: 40 }, (_, n) => 95 + n);
      if (isSeenBy(b, a)) assert.ok(all.every((xid) => !sees(a, xid) || sees(b, xid)));
    }),
  );
});
