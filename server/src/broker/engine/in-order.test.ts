import assert from "node:assert/strict";
import { test } from "node:test";
import { InOrder, type Ordered } from "./in-order.ts";

/** A message whose storing the test completes, attempt by attempt. */
class Message implements Ordered {
  state: Ordered["state"] = "waiting";
  readonly number: number;
  readonly attempts: { stored(): void; failed(): void }[] = [];

  constructor(number: number) {
    this.number = number;
  }
}

/** A queue, and the numbers of finished messages; negative if they were not stored. */
function queueOfMessages() {
  const finished: number[] = [];
  const queue = new InOrder<Message>({
    store: ({ attempts }) =>
      new Promise<void>((resolve, reject) => {
        attempts.push({ stored: resolve, failed: () => reject(new Error("unreachable")) });
      }),
    isComplete: () => true,
    finished: ({ number }, isStored) => void finished.push(isStored ? number : -number),
  });
  return { queue, finished };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function begun({ attempts }: Message, times: number): Promise<void> {
  while (attempts.length < times) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("messages are finished in order of arrival, whichever is stored first", async () => {
  const { queue, finished } = queueOfMessages();
  const all = [1, 2, 3].map((n) => new Message(n));
  for (const message of all) queue.add(message);
  assert.deepEqual(
    all.map(({ attempts }) => attempts.length),
    [1, 1, 1],
    "all are started immediately",
  );
  all[2]!.attempts[0]!.stored();
  all[1]!.attempts[0]!.stored();
  await turn();
  assert.deepEqual(finished, []);
  all[0]!.attempts[0]!.stored();
  await queue.idle();
  assert.deepEqual(finished, [1, 2, 3]);
});

test("after a failure the first message is retried until it is stored, before any other is started", async () => {
  const { queue, finished } = queueOfMessages();
  const [first, second, third] = [new Message(1), new Message(2), new Message(3)];
  queue.add(first);
  queue.add(second);
  first.attempts[0]!.failed();
  second.attempts[0]!.failed();
  await turn();
  queue.add(third);
  await begun(first, 2);
  first.attempts[1]!.failed();
  await begun(first, 3);
  assert.deepEqual([second.attempts.length, third.attempts.length], [1, 0]);
  first.attempts[2]!.stored();
  await turn();
  assert.deepEqual([second.attempts.length, third.attempts.length, finished], [2, 1, [1]]);
  third.attempts[0]!.stored();
  second.attempts[1]!.stored();
  await queue.idle();
  assert.deepEqual(finished, [1, 2, 3]);
});

test("while a failed message waits behind one that is being stored, no message is started", async () => {
  const { queue, finished } = queueOfMessages();
  const [first, second, third] = [new Message(1), new Message(2), new Message(3)];
  queue.add(first);
  queue.add(second);
  second.attempts[0]!.failed();
  await turn();
  queue.add(third);
  assert.equal(third.attempts.length, 0);
  first.attempts[0]!.stored();
  await begun(second, 2);
  assert.equal(third.attempts.length, 0);
  second.attempts[1]!.stored();
  await begun(third, 1);
  third.attempts[0]!.stored();
  await queue.idle();
  assert.deepEqual(finished, [1, 2, 3]);
});

test("once the session has ended, no message is retried, and all behind an unstored one are dropped", async () => {
  const { queue, finished } = queueOfMessages();
  const [first, second, third] = [new Message(1), new Message(2), new Message(3)];
  for (const message of [first, second, third]) queue.add(message);
  second.attempts[0]!.failed();
  third.attempts[0]!.stored();
  await turn();
  queue.abandon();
  first.attempts[0]!.stored();
  await queue.idle();
  assert.deepEqual(finished, [1, -2, -3]);
});
