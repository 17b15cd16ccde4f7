import assert from "node:assert/strict";
import { test } from "node:test";
import { PacedTurns } from "./paced-turns.ts";

const OPTIONS = { share: 1, burstMs: 1_000, turnMs: 1, mostSteps: 16 };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a turn has as many steps as fit into it, as measured in the previous turn", async () => {
  let [now, done, stepMs, hasMore] = [0, 0, 0, true];
  const turns = new PacedTurns(OPTIONS, { monotonicMs: () => now }, () => {
    now += stepMs;
    done++;
    return hasMore;
  });
  const stepsOfNext = async () => {
    const before = done;
    await turn();
    return done - before;
  };
  stepMs = 0.25;
  turns.plan();
  assert.equal(await stepsOfNext(), 16);
  assert.equal(await stepsOfNext(), 4);
  stepMs = 5;
  assert.equal(await stepsOfNext(), 4);
  assert.equal(await stepsOfNext(), 1);
  stepMs = 0.01;
  assert.equal(await stepsOfNext(), 1);
  assert.equal(await stepsOfNext(), 16);
  hasMore = false;
  assert.equal(await stepsOfNext(), 1);
});

test("turns end when there is nothing to do, and go on once more is planned", async () => {
  let [left, done] = [3, 0];
  const turns = new PacedTurns(OPTIONS, { monotonicMs: () => 0 }, () => {
    if (left === 0) return false;
    left--;
    done++;
    return true;
  });
  turns.plan();
  await turn();
  await turn();
  assert.equal(done, 3);
  left = 2;
  turns.plan();
  turns.plan();
  await turn();
  assert.equal(done, 5);
});

test("work that is planned while a turn ends has the next turn", async () => {
  let [left, done] = [1, 0];
  const turns = new PacedTurns(OPTIONS, { monotonicMs: () => 0 }, () => {
    if (left === 0) return false;
    left--;
    done++;
    queueMicrotask(() => {
      if (done > 1) return;
      left++;
      turns.plan();
    });
    return false;
  });
  turns.plan();
  await turn();
  await turn();
  assert.equal(done, 2);
});

test("a burst takes idle time only: other work has its share after each turn", async () => {
  const gapsWhileOthersTake = async (othersMs: number) => {
    let [now, ended] = [0, 0];
    const gaps: number[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const turns = new PacedTurns({ ...OPTIONS, share: 0.25, mostSteps: 1 }, { monotonicMs: () => now }, () => {
      gaps.push(now - ended);
      now += 2;
      ended = now;
      if (gaps.length === 4) resolve();
      return gaps.length < 4;
    });
    const others = () => {
      now += othersMs;
      if (gaps.length < 4) setImmediate(others);
    };
    setImmediate(others);
    turns.plan();
    await promise;
    return gaps.slice(1);
  };
  assert.deepEqual(await gapsWhileOthersTake(0), [0, 0, 0]);
  const gaps = await gapsWhileOthersTake(1);
  assert.ok(
    gaps.every((gap) => gap >= 6),
    `${gaps}`,
  );
});
