import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OfflineQueue, type Outgoing } from "./queue.ts";

function message(id: number, bytes = 1): Outgoing {
  const nothing = () => {};
  return { topic: `${id}`, payload: Buffer.alloc(bytes), retain: false, stalls: 0, resolve: nothing, reject: nothing };
}

const topics = (messages: Outgoing[]) => messages.map((one) => one.topic);

function contents(queue: OfflineQueue): string[] {
  const out: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) out.push(next.topic);
  return out;
}

test("the oldest message is dropped when the queue is full by count", () => {
  const queue = new OfflineQueue({ maxMessages: 2, maxBytes: 1000 });
  queue.push(message(1));
  queue.push(message(2));
  assert.deepEqual(topics(queue.push(message(3))), ["1"]);
  assert.deepEqual(contents(queue), ["2", "3"]);
});

test("the oldest messages are dropped until enough bytes are free", () => {
  const queue = new OfflineQueue({ maxMessages: 100, maxBytes: 30 });
  for (const id of [1, 2, 3]) queue.push(message(id, 9));
  assert.deepEqual(topics(queue.push(message(4, 18))), ["1", "2"]);
  assert.equal(queue.bytes, 29);
});

test("a message larger than the limit of the queue is dropped", () => {
  const queue = new OfflineQueue({ maxMessages: 100, maxBytes: 10 });
  queue.push(message(1));
  assert.deepEqual(topics(queue.push(message(2, 50))), ["1", "2"]);
  assert.equal(queue.bytes, 0);
});

test("messages that are put back come out first, in order", () => {
  const queue = new OfflineQueue({ maxMessages: 10, maxBytes: 1000 });
  for (const id of [1, 2, 3]) queue.push(message(id));
  const taken = [queue.shift()!, queue.shift()!];
  queue.push(message(4));
  assert.deepEqual(queue.putBack(taken), []);
  assert.deepEqual(contents(queue), ["1", "2", "3", "4"]);
});

test("under any sequence of operations the limits and the order hold, and every lost message is reported", () => {
  const use = fc.oneof(fc.constant("shift" as const), fc.constant("cycle" as const), fc.integer({ min: 0, max: 40 }));
  fc.assert(
    fc.property(fc.array(use, { maxLength: 3000 }), (uses) => {
      const queue = new OfflineQueue({ maxMessages: 20, maxBytes: 300 });
      let model: Outgoing[] = [];
      let id = 0;
      const expectDropped = (dropped: Outgoing[]) => {
        assert.deepEqual(topics(model.slice(0, dropped.length)), topics(dropped));
        model = model.slice(dropped.length);
      };
      for (const one of uses) {
        if (one === "shift") assert.equal(queue.shift(), model.shift());
        else if (one === "cycle") {
          const taken = [queue.shift(), queue.shift()].filter((taken) => taken !== undefined);
          expectDropped(queue.putBack(taken));
        } else {
          const next = message(id++, one);
          model.push(next);
          expectDropped(queue.push(next));
        }
        assert.equal(queue.length, model.length);
        assert.ok(queue.length <= 20 && queue.bytes <= 300);
      }
    }),
  );
});
