import assert from "node:assert/strict";
import { test } from "node:test";
import { NodeLease } from "./node-lease.ts";

const LEASE_MS = 10_000;
/** The time after which the node itself ends its sessions. */
const OWN_MS = 8_000;

class HandClock {
  #ms = 1_000;
  monotonicMs(): number {
    return this.#ms;
  }
  advance(ms: number): void {
    this.#ms += ms;
  }
}

function started(leaseMs = LEASE_MS) {
  const clock = new HandClock();
  const lease = new NodeLease(clock, leaseMs);
  const ends: (number | undefined)[] = [];
  lease.onEnd(() => ends.push(lease.term));
  lease.extend(lease.now());
  return { clock, lease, ends };
}

test("a lease lasts from the sending of a stored heartbeat, and ends before other nodes reap the node", () => {
  const { clock, lease, ends } = started();
  clock.advance(5_000);
  const sentMs = lease.now();
  clock.advance(2_000);
  lease.extend(sentMs);
  clock.advance(OWN_MS - 2_001);
  lease.check();
  assert.deepEqual([lease.term, ends], [0, []]);
  clock.advance(1);
  lease.check();
  assert.deepEqual([lease.term, ends], [undefined, [undefined]]);
});

test("a lease ends once, and extending it starts a new term", () => {
  const { clock, lease, ends } = started();
  clock.advance(OWN_MS);
  lease.check();
  lease.check();
  assert.equal(ends.length, 1);
  lease.extend(lease.now());
  assert.equal(lease.term, 1);
});

test("a heartbeat answered after a later one does not shorten the lease", () => {
  const { clock, lease } = started();
  const early = lease.now();
  clock.advance(5_000);
  lease.extend(lease.now());
  lease.extend(early);
  clock.advance(OWN_MS - 1);
  assert.equal(lease.term, 0);
});

test("before its first heartbeat a node has no lease that could end", () => {
  const ends: string[] = [];
  const lease = new NodeLease(new HandClock(), LEASE_MS);
  lease.onEnd(() => ends.push("ended"));
  lease.check();
  assert.deepEqual([lease.term, ends], [undefined, []]);
});

test("without other nodes the lease does not end", () => {
  const { clock, lease } = started(Infinity);
  clock.advance(86_400_000);
  lease.check();
  assert.equal(lease.term, 0);
});

test("a node that outlasts the database reaps others only once the database has answered for a whole lease", () => {
  const { clock, lease } = started();
  lease.outlast(() => true, 900_000);
  const beat = (times: number) => {
    for (let n = 0; n < times; n++) {
      clock.advance(2_000);
      lease.extend(lease.now());
    }
  };
  beat(4);
  assert.equal(lease.mayReap, false);
  beat(1);
  assert.equal(lease.mayReap, true);
  clock.advance(OWN_MS + 1);
  assert.equal(lease.mayReap, false);
  lease.extend(lease.now());
  assert.equal(lease.mayReap, false);
  beat(5);
  assert.equal(lease.mayReap, true);
});
