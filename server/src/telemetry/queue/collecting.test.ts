import assert from "node:assert/strict";
import { test } from "node:test";
import { Collecting } from "./collecting.ts";

const INTERVAL_MS = 10;

const of = (...devices: string[]) =>
  devices.map((deviceUid) => {
    const message = { tenantId: "t", deviceUid, deviceId: deviceUid, topic: "t", payload: Buffer.alloc(1) };
    return { message };
  });

/** Returns the state of two shards whose last batch began at 1,000 ms with messages from these devices. */
function after(...devices: string[]): Collecting {
  const collecting = new Collecting(2);
  collecting.begin(of(...devices), 1_000);
  return collecting;
}

test("a first batch, or one long after the previous batch, begins immediately", () => {
  assert.equal(new Collecting(2).waitMs(of("a", "b"), 0), 0);
  assert.equal(after("a", "b").waitMs(of("a", "b"), 1_000 + INTERVAL_MS), 0);
});

test("messages from several devices wait for the end of the interval that started with the last batch", () => {
  assert.equal(after("a", "b").waitMs(of("a"), 1_004), INTERVAL_MS - 4);
  assert.equal(after("a").waitMs(of("b"), 1_004), INTERVAL_MS - 4);
  assert.equal(after("a").waitMs(of("a", "b"), 1_004), INTERVAL_MS - 4);
});

test("the messages of a device that had the last batch to itself do not wait", () => {
  assert.equal(after("a", "a").waitMs(of("a", "a"), 1_001), 0);
});

test("many messages do not wait for more", () => {
  const devices = Array.from({ length: 128 }, (_, index) => `d${index}`);
  assert.equal(after("a", "b").waitMs(of(...devices), 1_001), 0);
  assert.equal(after("a", "b").waitMs(of(...devices.slice(1)), 1_001), INTERVAL_MS - 1);
});

test("an empty batch changes nothing", () => {
  const collecting = after("a", "b");
  collecting.begin([], 1_009);
  assert.equal(collecting.waitMs(of("a"), 1_004), INTERVAL_MS - 4);
});

test("each shard collects longer the more there are: 200 batches per second in total, and at most 25 ms", () => {
  const intervals = [1, 2, 4, 5, 16].map((shards) => {
    const collecting = new Collecting(shards);
    collecting.begin(of("a", "b"), 0);
    return collecting.waitMs(of("a"), 0);
  });
  assert.deepEqual(intervals, [5, 10, 20, 25, 25]);
});
