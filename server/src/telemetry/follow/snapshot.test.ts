import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { covers, parseSnapshot, type Snapshot, snapshotBefore } from "./snapshot.ts";

const shows = ({ xmax, inProgress }: Snapshot, xid: number) =>
  BigInt(xid) < BigInt(xmax) && !inProgress.includes(String(xid));

/** A history of transactions that begin in order and end in any order, with a snapshot after each step. */
const history = fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }).map((steps) => {
  const open = new Set<number>();
  let next = 100;
  return steps.map((step) => {
    const ends = [...open][step];
    if (ends === undefined) open.add(next++);
    else open.delete(ends);
    return parseSnapshot(`${Math.min(next, ...open)}:${next}:${[...open].join(",")}`);
  });
});

test("the text of a snapshot is parsed, with and without transactions in progress", () => {
  assert.deepEqual(parseSnapshot("10:20:10,14"), { xmin: "10", xmax: "20", inProgress: ["10", "14"] });
  assert.deepEqual(parseSnapshot("18446744073709551610:18446744073709551615:").inProgress, []);
});

test("every later snapshot of a history covers an earlier one, and the part that its xmin alone shows", () => {
  fc.assert(
    fc.property(history, (snapshots) => {
      for (const [index, later] of snapshots.entries()) {
        for (const earlier of snapshots.slice(0, index + 1)) {
          assert.ok(covers(later, earlier));
          assert.ok(covers(later, snapshotBefore(earlier.xmin)));
        }
      }
    }),
  );
});

test("a snapshot that covers an unrelated one shows every transaction that the other shows", () => {
  fc.assert(
    fc.property(history, history, (some, others) => {
      const [a, b] = [some.at(-1)!, others.at(-1)!];
      const all = Array.from({ length: 40 }, (_, n) => 95 + n);
      if (covers(b, a)) assert.ok(all.every((xid) => !shows(a, xid) || shows(b, xid)));
    }),
  );
});
