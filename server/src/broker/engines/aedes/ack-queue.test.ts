import assert from "node:assert/strict";
import { test } from "node:test";
import { AckQueue } from "./ack-queue.ts";

/** A message whose storing the test settles, counting the attempts. */
function message() {
  const attempts: { stored(): void; failed(): void }[] = [];
  const store = () =>
    new Promise<void>((resolve, reject) => {
      attempts.push({ stored: resolve, failed: () => reject(new Error("unreachable")) });
    });
  return { attempts, store };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function begun(each: { attempts: unknown[] }, times: number): Promise<void> {
  while (each.attempts.length < times) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("messages are acknowledged in the order of arrival, whichever is stored first", async () => {
  const queue = new AckQueue();
  const acknowledged: number[] = [];
  const all = [1, 2, 3].map((n) => {
    const each = message();
    queue.add(each.store, (error) => acknowledged.push(error ? -n : n));
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
  assert.deepEqual(acknowledged, []);
  all[0]!.attempts[0]!.stored();
  await queue.idle();
  assert.deepEqual(acknowledged, [1, 2, 3]);
});

test("after a failure every message is retried in order, and no further message is begun before", async () => {
  const queue = new AckQueue();
  const acknowledged: number[] = [];
  const [first, second, third] = [message(), message(), message()];
  queue.add(first.store, () => acknowledged.push(1));
  queue.add(second.store, () => acknowledged.push(2));
  first.attempts[0]!.failed();
  second.attempts[0]!.failed();
  await turn();
  queue.add(third.store, () => acknowledged.push(3));
  await begun(first, 2);
  first.attempts[1]!.failed();
  await begun(first, 3);
  assert.deepEqual([second.attempts.length, third.attempts.length], [1, 0]);
  first.attempts[2]!.stored();
  await begun(second, 2);
  assert.deepEqual(acknowledged, [1]);
  second.attempts[1]!.stored();
  await begun(third, 1);
  third.attempts[0]!.stored();
  await queue.idle();
  assert.deepEqual(acknowledged, [1, 2, 3]);
});

test("once the session has ended no message is retried, and one that was not stored is not acknowledged", async () => {
  const queue = new AckQueue();
  const acknowledged: string[] = [];
  const [first, second] = [message(), message()];
  queue.add(first.store, (error) => acknowledged.push(error ? "not stored" : "stored"));
  queue.add(second.store, (error) => acknowledged.push(error ? "not stored" : "stored"));
  first.attempts[0]!.failed();
  await turn();
  second.attempts[0]!.stored();
  queue.abandon();
  await queue.idle();
  assert.deepEqual(acknowledged, ["not stored", "stored"]);
});
