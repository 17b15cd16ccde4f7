import assert from "node:assert/strict";
import { test } from "node:test";
import { TimeShare } from "./time-share.ts";

test("after its burst, work waits until its time is its share of the elapsed time", () => {
  let now = 0;
  const share = new TimeShare({ share: 0.2, burstMs: 50 }, { monotonicMs: () => now });
  share.charge(49);
  assert.equal(share.pauseMs(), 0);
  share.charge(11);
  assert.equal(share.pauseMs(), 51);
  now += 51;
  assert.equal(share.pauseMs(), 0);
  now += 10_000;
  share.charge(49);
  assert.equal(share.pauseMs(), 0);
});

test("one long work makes others wait for a second at most", () => {
  const share = new TimeShare({ share: 0.2, burstMs: 50 }, { monotonicMs: () => 0 });
  share.charge(60_000);
  assert.equal(share.pauseMs(), 1_000);
});
