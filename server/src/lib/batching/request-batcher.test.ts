import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestBatcher } from "./request-batcher.ts";

/** A batcher whose batches end when the test says so. A request is a key and a number: `a1`. */
function controlled(most = 10, apartMs = 0, more: { sparesWaiting?: boolean; delaysAtMostMs?: number } = {}) {
  const batches: { requests: string[]; begunAt: number; end: () => void; fail: (error: Error) => void }[] = [];
  const batcher = new RequestBatcher<string, string>({
    most,
    apartMs,
    ...more,
    keysOf: (request) => [request[0]!],
    run: (requests) =>
      new Promise((resolve, reject) => {
        batches.push({
          requests,
          begunAt: performance.now(),
          end: () => resolve(requests.map((each) => `${each}!`)),
          fail: reject,
        });
      }),
    failsWholeBatch: (error) => (error as Error).message === "down",
  });
  return { batcher, batches };
}

async function turns(): Promise<void> {
  for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve));
}

test("requests of one turn make one batch, those that arrive while it is run the next", async () => {
  const { batcher, batches } = controlled();
  const first = ["a1", "b1"].map((each) => batcher.ask(each));
  await turns();
  const second = batcher.ask("c1");
  await turns();
  assert.deepEqual(
    batches.map(({ requests }) => requests),
    [["a1", "b1"]],
  );
  batches[0]!.end();
  assert.deepEqual(await Promise.all(first), ["a1!", "b1!"]);
  await turns();
  batches[1]!.end();
  assert.equal(await second, "c1!");
});

test("a key is in a batch once, in the order of the calls, and a batch has no more requests than it may", async () => {
  const { batcher, batches } = controlled(2);
  const asked = ["a1", "a2", "b1", "c1", "a3"].map((each) => batcher.ask(each));
  for (const expected of [["a1", "b1"], ["a2", "c1"], ["a3"]]) {
    await turns();
    assert.deepEqual(batches.at(-1)!.requests, expected);
    batches.at(-1)!.end();
  }
  assert.deepEqual(await Promise.all(asked), ["a1!", "a2!", "b1!", "c1!", "a3!"]);
});

test("an error of one request fails that one; one of all fails those that wait as well, and none that comes later", async () => {
  const { batcher, batches } = controlled();
  const [good, bad] = [batcher.ask("a1"), batcher.ask("b1")];
  await turns();
  batches[0]!.fail(new Error("one of them"));
  await turns();
  batches[1]!.end();
  await turns();
  batches[2]!.fail(new Error("this one"));
  assert.equal(await good, "a1!");
  await assert.rejects(bad, /this one/);
  const running = batcher.ask("c1");
  await turns();
  const waiting = batcher.ask("d1");
  batches[3]!.fail(new Error("down"));
  await assert.rejects(running, /down/);
  await assert.rejects(waiting, /down/);
  const later = batcher.ask("e1");
  await turns();
  batches[4]!.end();
  assert.equal(await later, "e1!");
});

test("batches that are not full begin some time apart, the first and full ones at once", async () => {
  const { batcher, batches } = controlled(2, 30);
  const askedAt = performance.now();
  const asked = [batcher.ask("a1")];
  await turns();
  assert.deepEqual(batches[0]?.requests, ["a1"]);
  asked.push(batcher.ask("b1"), batcher.ask("c1"));
  batches[0]!.end();
  await turns();
  assert.deepEqual(batches[1]?.requests, ["b1", "c1"]);
  const last = batcher.ask("d1");
  batches[1]!.end();
  await Promise.all(asked);
  while (batches.length < 3) await turns();
  assert.ok(batches[2]!.begunAt - askedAt >= 30);
  batches[2]!.end();
  assert.equal(await last, "d1!");
});

test("a batch that takes too long no longer delays the next one, and its error spares those that wait", async () => {
  const { batcher, batches } = controlled(1, 0, { sparesWaiting: true, delaysAtMostMs: 20 });
  const asked = ["a1", "b1", "c1"].map((each) => batcher.ask(each));
  await turns();
  assert.deepEqual(
    batches.map(({ requests }) => requests),
    [["a1"]],
  );
  while (batches.length < 2) await turns();
  batches[0]!.fail(new Error("down"));
  await assert.rejects(asked[0]!, /down/);
  batches[1]!.end();
  assert.equal(await asked[1], "b1!");
  await turns();
  batches[2]!.end();
  assert.equal(await asked[2], "c1!");
});
