import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { UniqueQueue } from "./unique-queue.ts";

const anyStep = fc.record({ what: fc.constantFrom("add", "delete", "take"), entry: fc.nat(8) });

test("a unique queue has each entry once, in insertion order, whichever entries leave it", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 200 }), (steps) => {
      const queue = new UniqueQueue<number>();
      let expected: number[] = [];
      for (const { what, entry } of steps) {
        if (what === "take") assert.equal(queue.take(), expected.shift());
        else if (what === "add") {
          queue.add(entry);
          if (!expected.includes(entry)) expected.push(entry);
        } else {
          assert.equal(queue.delete(entry), expected.includes(entry));
          expected = expected.filter((each) => each !== entry);
        }
        assert.equal(queue.size, expected.length);
      }
      while (expected.length > 0) assert.equal(queue.take(), expected.shift());
      assert.equal(queue.take(), undefined);
    }),
  );
});
