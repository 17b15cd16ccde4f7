import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { InboundBudget } from "./inbound-budget.ts";
import type { SessionBudget } from "./session-budget.ts";

const LIMITS = {
  mqttUnsettledBytesPerSession: 100,
  mqttUnsettledBytesPerTenant: 200,
  mqttUnsettledBytes: 300,
  mqttBytesPerSecondPerTenant: Infinity,
};

const budgets = (limits = LIMITS) => new InboundBudget(limits, { now: () => new Date(0), monotonicMs: () => 0 });

/** A session that reads messages of `size` bytes while it has room. */
class Reader {
  readonly budget: SessionBudget;
  readonly reading: number[] = [];
  #size: number;

  constructor(inbound: InboundBudget, tenant: string, size: number) {
    this.#size = size;
    this.budget = inbound.open(tenant, () => this.readAll());
  }

  get bytes(): number {
    return this.reading.reduce((sum, bytes) => sum + bytes, 0);
  }

  readAll(): void {
    while (this.budget.hasRoom()) this.readOne();
  }

  readOne(): void {
    this.budget.begin(this.#size);
    this.reading.push(this.#size);
  }

  releaseOne(): void {
    const bytes = this.reading.shift();
    if (bytes !== undefined) this.budget.release(bytes);
  }
}

test("a session reads until its own budget is used up, and resumes when a message is released", () => {
  const reader = new Reader(budgets(), "a", 40);
  reader.readAll();
  assert.equal(reader.bytes, 120, "the message that exceeds the limit is still read");
  reader.releaseOne();
  assert.equal(reader.bytes, 120, "it reads one more");
});

test("the sessions of a tenant take turns within its budget, and other tenants' sessions are always read", () => {
  const inbound = budgets();
  const readers = Array.from({ length: 4 }, () => new Reader(inbound, "a", 50));
  for (const reader of readers) reader.readAll();
  assert.deepEqual(
    readers.map(({ bytes }) => bytes),
    [100, 100, 0, 0],
  );
  const other = new Reader(inbound, "b", 50);
  other.readAll();
  assert.equal(other.bytes, 100);
  readers[0]!.releaseOne();
  readers[0]!.releaseOne();
  assert.deepEqual(
    readers.map(({ bytes }) => bytes),
    [0, 100, 50, 50],
    "the process is full, and the tenant is not below the average until the second message is released",
  );
});

test("a packet being collected counts in full and is read to its end; other sessions' packets wait for room", () => {
  const inbound = budgets();
  const [one, two, three] = Array.from({ length: 3 }, () => new Reader(inbound, "a", 50));
  assert.equal(one!.budget.mayCollect(90), true);
  assert.equal(two!.budget.mayCollect(120), true);
  assert.equal(inbound.bytes, 210);
  assert.equal(three!.budget.mayCollect(90), false);
  assert.equal(one!.budget.mayCollect(90), true, "it has its reservation");
  assert.equal(inbound.bytes, 210);
  one!.budget.endCollecting();
  assert.equal(three!.reading.length, 2, "it resumes");
  two!.budget.close();
  assert.equal(inbound.bytes, 100);
});

test("a packet that is not completed in time loses its reservation to waiting sessions, and asks again", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const inbound = budgets();
  const [stalled, other] = [new Reader(inbound, "a", 50), new Reader(inbound, "a", 50)];
  assert.equal(stalled.budget.mayCollect(200), true);
  t.mock.timers.tick(10_000);
  assert.equal(inbound.bytes, 200, "no other session waits");
  other.readAll();
  assert.equal(other.bytes, 0);
  for (let second = 0; second < 2; second++) t.mock.timers.tick(1_000);
  assert.equal(other.bytes, 100);
  assert.equal(inbound.bytes, 100);
  assert.equal(stalled.budget.mayCollect(200), true);
  assert.equal(inbound.bytes, 300);
});

test("while the process is full, only tenants below the average are read", () => {
  const inbound = budgets({
    ...LIMITS,
    mqttUnsettledBytesPerTenant: 1000,
    mqttUnsettledBytesPerSession: 1000,
  });
  const [large, small] = [new Reader(inbound, "a", 50), new Reader(inbound, "b", 50)];
  large.readAll();
  assert.deepEqual([large.bytes, large.budget.hasRoom()], [300, false]);
  assert.equal(small.budget.hasRoom(), true);
  small.readAll();
  assert.ok(small.bytes >= 50 && small.bytes <= 350);
});

test("deferred bytes count against the tenant, up to half of its budget, but not against their session", () => {
  const inbound = budgets();
  const [holding, reading] = [new Reader(inbound, "a", 50), new Reader(inbound, "a", 50)];
  assert.deepEqual([holding.budget.defer(60), holding.budget.defer(60), holding.budget.defer(60)], [true, true, false]);
  assert.equal(holding.budget.hasRoom(), true);
  reading.readAll();
  assert.equal(reading.bytes, 100);
  assert.equal(holding.budget.hasRoom(), false);
  holding.budget.undefer(60);
  assert.equal(inbound.bytes, 60 + 100 + 50, "the session that deferred them was waiting, and reads a message");
});

test("a session that ends drops its deferred bytes; bytes being stored count until they are released", () => {
  const inbound = budgets();
  const [ending, next] = [new Reader(inbound, "a", 90), new Reader(inbound, "a", 90)];
  ending.readOne();
  ending.budget.defer(100);
  next.readOne();
  assert.equal(next.budget.hasRoom(), false);
  ending.budget.close();
  assert.equal(inbound.bytes, 90 + 90 + 90, "the other session resumes");
  const late = new Reader(inbound, "a", 90);
  assert.equal(late.budget.hasRoom(), false, "a new session does not reset its tenant's count");
  ending.releaseOne();
  assert.equal(inbound.bytes, 90 + 90 + 90);
});

test("a tenant's sessions take turns and are read no faster than its rate; other tenants are always read", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const inbound = budgets({ ...LIMITS, mqttBytesPerSecondPerTenant: 1_000 });
  const resumed: string[] = [];
  const open = (tenant: string, name: string) => {
    const budget = inbound.open(tenant, () => {
      resumed.push(name);
      assert.equal(budget.hasRoom(), true);
      budget.spend(500);
    });
    return budget;
  };
  const [first, second, other] = [open("a", "first"), open("a", "second"), open("b", "other")];
  first.spend(1_500);
  assert.deepEqual([first.hasRoom(), second.hasRoom(), other.hasRoom()], [false, false, true]);
  t.mock.timers.tick(500);
  assert.deepEqual(resumed, []);
  t.mock.timers.tick(1);
  assert.deepEqual(resumed, ["first"]);
  t.mock.timers.tick(500);
  assert.deepEqual(resumed, ["first", "second"]);
});

test("under any sequence of reads, settlements and closes, the limits hold and the counts return to zero", () => {
  const step = fc.tuple(
    fc.nat(5),
    fc.constantFrom("read", "release", "release", "close"),
    fc.integer({ min: 1, max: 60 }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const inbound = budgets();
      const readers = Array.from({ length: 6 }, (_, n) => new Reader(inbound, `t${n % 3}`, 1 + 7 * n));
      const closed = new Set<number>();
      for (const [at, what] of steps) {
        const reader = readers[at]!;
        if (what === "release") reader.releaseOne();
        else if (!closed.has(at)) {
          if (what === "read") reader.readAll();
          else reader.budget.close();
          if (what === "close") closed.add(at);
        }
        assert.equal(
          inbound.bytes,
          readers.reduce((sum, { bytes }) => sum + bytes, 0),
        );
        for (const tenant of [0, 1, 2]) {
          const ofTenant = readers.filter((_, n) => n % 3 === tenant).reduce((sum, { bytes }) => sum + bytes, 0);
          assert.ok(ofTenant < 200 + 60, `${ofTenant} bytes of a tenant`);
        }
      }
      for (const [at, reader] of readers.entries()) if (!closed.has(at)) reader.budget.close();
      for (const reader of readers) while (reader.reading.length > 0) reader.releaseOne();
      assert.deepEqual([inbound.bytes, inbound.sending], [0, 0]);
    }),
  );
});
