import assert from "node:assert/strict";
import { test } from "node:test";
import { LimitedGuessers } from "./limited-guessers.ts";

const NOW = new Date("2026-05-01T08:00:00Z");
const LATER = new Date("2026-05-01T08:10:00Z");

test("concurrent guesses of a block are counted one at a time, and not at all once it is limited", async () => {
  const guessers = new LimitedGuessers();
  let [running, most, counted] = [0, 0, 0];
  const count = async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    return ++counted > 2 ? LATER : undefined;
  };
  const answers = await Promise.all(Array.from({ length: 9 }, () => guessers.limitedUntil("192.0.2.0/24", NOW, count)));
  assert.deepEqual(answers, [undefined, undefined, ...Array.from({ length: 7 }, () => LATER)]);
  assert.deepEqual([most, counted], [1, 3]);
});

test("a block whose wait is over is counted again", async () => {
  const guessers = new LimitedGuessers();
  await guessers.limitedUntil("192.0.2.0/24", NOW, async () => LATER);
  assert.equal(await guessers.limitedUntil("192.0.2.0/24", LATER, async () => undefined), undefined);
});
