import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnderWay } from "./gated-connection.ts";
import { SlowBodies } from "./slow-bodies.ts";

test("a request that waits sees the place of a late body free, although nothing else happens meanwhile", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  let isFull = true;
  const late: UnderWay[] = [];
  const bodies = new SlowBodies({
    clock: { monotonicMs: () => now },
    isFull: (block) => block === undefined && isFull,
    isAuthenticated: () => false,
    timeOut: (each) => late.push(each),
  });
  const request = { request: { complete: false }, since: 0, connection: { block: {} } } as unknown as UnderWay;
  bodies.begun(request);
  bodies.plan();
  const pass = (ms: number) => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  for (let n = 0; n < 3; n++) pass(250);
  assert.deepEqual(late, []);
  pass(250);
  assert.deepEqual(late, [request]);
  bodies.ended(request);
  isFull = false;
  pass(1_000);
  assert.equal(late.length, 1);
});
