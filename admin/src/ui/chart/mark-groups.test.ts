import assert from "node:assert/strict";
import { test } from "node:test";
import { groupMarks, type Mark, worstTone } from "./mark-groups.ts";

const mark = (at: number, tone: Mark["tone"] = "warn"): Mark => ({ at, tone, label: `at ${at}`, href: `/${at}` });

test("marks that would lie over each other are one, at the place of the first", () => {
  const groups = groupMarks([mark(70), mark(10), mark(30), mark(35)], (at) => at, 24);
  assert.deepEqual(
    groups.map(({ left, marks }) => [left, marks.map(({ at }) => at)]),
    [
      [10, [10, 30]],
      [35, [35]],
      [70, [70]],
    ],
  );
});

test("several marks have the tone of the worst", () => {
  assert.equal(worstTone([mark(1, "accent"), mark(2, "bad"), mark(3)]), "bad");
  assert.equal(worstTone([]), "neutral");
});
