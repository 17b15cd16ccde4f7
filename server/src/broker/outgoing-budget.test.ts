import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OutgoingBudget, type Waiting } from "./outgoing-budget.ts";

const KIB = 1024;
const LIMITS = { mqttBacklogBytesPerTenant: 100 * KIB, mqttBacklogBytesOfAll: 150 * KIB };
const wheel = { set: () => undefined };

class Session implements Waiting {
  waitingBytes = 0;
  isEnded = false;

  onBacklog(): void {
    this.waitingBytes = 0;
    this.isEnded = true;
  }
}

function sessions(count: number): Session[] {
  return Array.from({ length: count }, () => new Session());
}

test("a tenant over its limit loses its largest session, and no other tenant loses one", () => {
  const budget = new OutgoingBudget(LIMITS, wheel);
  const [small, large, other] = sessions(3) as [Session, Session, Session];
  const grow = (tenant: string, session: Session, bytes: number) => {
    session.waitingBytes = bytes;
    budget.count(tenant, session);
  };
  grow("a", large, 60 * KIB);
  grow("b", other, 45 * KIB);
  grow("a", small, 40 * KIB);
  assert.equal(budget.bytes, 145 * KIB);
  grow("a", small, 41 * KIB);
  assert.deepEqual([small.isEnded, large.isEnded, other.isEnded], [false, true, false]);
  assert.equal(budget.bytes, 86 * KIB);
});

test("a process over its limit ends a session of the largest tenant", () => {
  const budget = new OutgoingBudget(LIMITS, wheel);
  const [a, b, c] = sessions(3) as [Session, Session, Session];
  for (const [tenant, session, bytes] of [
    ["a", a, 70],
    ["b", b, 60],
    ["c", c, 21],
  ] as const) {
    session.waitingBytes = bytes * KIB;
    budget.count(tenant, session);
  }
  assert.deepEqual([a.isEnded, b.isEnded, c.isEnded], [true, false, false]);
});

test("under any sequence of changes, the budgets hold and return to 0", () => {
  const steps = fc.array(fc.tuple(fc.nat(2), fc.nat(5), fc.nat(120)), { maxLength: 80 });
  fc.assert(
    fc.property(steps, (all) => {
      const budget = new OutgoingBudget(LIMITS, wheel);
      const open = [0, 1, 2].map(() => sessions(6));
      for (const [tenant, index, kib] of all) {
        const session = open[tenant]![index]!;
        if (session.isEnded) continue;
        session.waitingBytes = kib * KIB;
        budget.count(`${tenant}`, session);
        assert.ok(budget.bytes <= LIMITS.mqttBacklogBytesOfAll && budget.bytes >= 0);
      }
      // A session may have sent bytes without reporting it.
      for (const session of open.flat()) session.waitingBytes = 0;
      budget.onDue();
      assert.equal(budget.bytes, 0);
    }),
    { numRuns: 300, seed: 20261122 },
  );
});
