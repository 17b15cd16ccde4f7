import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createAddressLimit } from "./address-limit.ts";
import { RequestCounts } from "./request-counts.ts";

function fakeClock() {
  const clock = { at: 0, monotonicMs: () => clock.at };
  return clock;
}

test("no 60 seconds admit more than the limit, whatever the pattern of requests", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.nat(20_000), { maxLength: 400 }), (limit, pauses) => {
      const clock = fakeClock();
      const budget = createAddressLimit(limit, clock);
      const admitted: number[] = [];
      for (const pause of pauses) {
        clock.at += pause;
        const wait = budget.admit("a");
        if (wait === 0) admitted.push(clock.at);
        else {
          clock.at += wait * 1000;
          assert.equal(budget.admit("a"), 0, "the answered wait is sufficient");
          admitted.push(clock.at);
        }
      }
      for (const start of admitted)
        assert.ok(admitted.filter((at) => at >= start && at < start + 60_000).length <= limit);
    }),
  );
});

test("addresses have budgets of their own, and 0 means no limit", () => {
  const limit = createAddressLimit(1, fakeClock());
  assert.equal(limit.admit("a"), 0);
  assert.equal(limit.admit("b"), 0);
  assert.equal(limit.admit("a"), 60);
  const none = createAddressLimit(Number.POSITIVE_INFINITY, fakeClock());
  for (let i = 0; i < 1000; i++) assert.equal(none.admit("a"), 0);
});

test("above the maximum of addresses, the least recently seen one is dropped", () => {
  const limit = createAddressLimit(1, fakeClock());
  for (let i = 0; i < 20_001; i++) limit.admit(String(i));
  assert.equal(limit.admit("0"), 0, "the oldest was forgotten");
  assert.equal(limit.admit("20000"), 60, "the newest was not");
});

test("requests admitted by another process count from its next message on, and the wait covers all of them", () => {
  const [clock, limit] = [fakeClock(), 10];
  const processes = [0, 1].map(() => {
    const counts = new RequestCounts();
    return { counts, limit: createAddressLimit(limit, clock, { name: "device", counts }) };
  }) as [Process, Process];
  const exchange = () => {
    const [one, other] = processes.map(({ counts }) => counts.take());
    if (one) processes[1].counts.add(one);
    if (other) processes[0].counts.add(other);
  };
  for (let n = 0; n < 8; n++) for (const each of processes) assert.equal(each.limit.admit("a"), 0);
  clock.at = 1_000;
  exchange();
  assert.deepEqual(
    processes.map(({ counts }) => counts.take()),
    [undefined, undefined],
    "each is exchanged once",
  );
  for (const each of processes) {
    // The requests of second 0 must leave the window; those added in second 1 may stay.
    assert.equal(each.limit.admit("a"), 59);
    assert.equal(each.limit.admit("b"), 0, "nothing was exchanged for another address");
  }
  clock.at = 60_000;
  for (const each of processes) assert.equal(each.limit.admit("a"), 0);
});

interface Process {
  counts: RequestCounts;
  limit: ReturnType<typeof createAddressLimit>;
}
