import assert from "node:assert/strict";
import { test } from "node:test";
import { InOrder } from "./in-order.ts";

/** Work whose end the test decides, counting how often it was begun. */
function work() {
  const attempts: { stored(): void; failed(): void }[] = [];
  const run = () =>
    new Promise<void>((resolve, reject) => {
      attempts.push({ stored: resolve, failed: () => reject(new Error("away")) });
    });
  return { attempts, run };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function begun(each: { attempts: unknown[] }, times: number): Promise<void> {
  while (each.attempts.length < times) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("answers leave in the order of asking although the work ends in another", async () => {
  const inOrder = new InOrder();
  const answers: number[] = [];
  const all = [1, 2, 3].map((n) => {
    const each = work();
    inOrder.add(each.run, (error) => answers.push(error ? -n : n));
    return each;
  });
  assert.deepEqual(
    all.map(({ attempts }) => attempts.length),
    [1, 1, 1],
    "all are begun at once",
  );
  all[2]!.attempts[0]!.stored();
  all[1]!.attempts[0]!.stored();
  await turn();
  assert.deepEqual(answers, []);
  all[0]!.attempts[0]!.stored();
  await inOrder.idle();
  assert.deepEqual(answers, [1, 2, 3]);
});

test("after a failure everything is tried again in order, and nothing new is begun before", async () => {
  const inOrder = new InOrder();
  const answers: number[] = [];
  const [first, second, third] = [work(), work(), work()];
  inOrder.add(first.run, () => answers.push(1));
  inOrder.add(second.run, () => answers.push(2));
  first.attempts[0]!.failed();
  second.attempts[0]!.failed();
  await turn();
  inOrder.add(third.run, () => answers.push(3));
  await begun(first, 2);
  first.attempts[1]!.failed();
  await begun(first, 3);
  assert.deepEqual([second.attempts.length, third.attempts.length], [1, 0]);
  first.attempts[2]!.stored();
  await begun(second, 2);
  assert.deepEqual(answers, [1]);
  second.attempts[1]!.stored();
  await begun(third, 1);
  third.attempts[0]!.stored();
  await inOrder.idle();
  assert.deepEqual(answers, [1, 2, 3]);
});

test("when the session is over, nothing is tried again and what was not stored is not answered for", async () => {
  const inOrder = new InOrder();
  const answers: string[] = [];
  const [first, second] = [work(), work()];
  inOrder.add(first.run, (error) => answers.push(error ? "refused" : "stored"));
  inOrder.add(second.run, (error) => answers.push(error ? "refused" : "stored"));
  first.attempts[0]!.failed();
  await turn();
  second.attempts[0]!.stored();
  inOrder.abandon();
  await inOrder.idle();
  assert.deepEqual(answers, ["refused", "stored"]);
});
