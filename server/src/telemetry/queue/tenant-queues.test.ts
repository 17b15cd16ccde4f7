import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type PreparedMessage, rowsOf, type TimedReading } from "../message.ts";
import { Isolation } from "./isolation.ts";
import type { PendingMessage } from "./pending-message.ts";
import { splitMessage } from "./split-message.ts";
import { type Batch, TenantQueues } from "./tenant-queues.ts";

const SHARE = 5;

function pending(tenantId: string, device: string, rows: number, sent = 0, bytes = 1): PendingMessage {
  const metrics = Array.from({ length: rows }, (_, index) => `m${index}`);
  const reading = { time: sent, timeReplaced: false, metrics, values: metrics.map(() => sent) };
  const message = { tenantId, deviceUid: device, deviceId: device, topic: "t", payload: Buffer.alloc(bytes) };
  const prepared = { tenantId, deviceUid: device, receivedAt: sent, readings: [reading], rejected: undefined };
  const answer = () => undefined;
  return {
    message,
    position: undefined,
    prepared,
    defer: undefined,
    rows,
    parts: [],
    storedRows: 0,
    timeouts: 0,
    resolve: answer,
    reject: answer,
  };
}

function queuesWith(...messages: PendingMessage[]) {
  return queuesSharing(SHARE, ...messages);
}

function queuesSharing(tenantRowsPerBatch: number, ...messages: PendingMessage[]) {
  const isolation = new Isolation();
  const queues = new TenantQueues({ isolation, limits: { tenantRowsPerBatch } });
  for (const message of messages) queues.add(message);
  return { isolation, queues };
}

const tenantsOf = ({ messages }: Batch) => messages.map(({ message }) => message.tenantId).join("");

/** Releases a batch that took `ms`, and waits until its tenants have turns again. */
async function release(queues: TenantQueues, batch: Batch, ms = 0): Promise<void> {
  const pausing = batch.queues.filter(({ hasSpentShare }) => queues.areSeveral && hasSpentShare).length;
  let resumed = 0;
  await new Promise<void>((resolve) => {
    queues.release(batch, ms, () => ++resumed === pausing && resolve());
    if (pausing === 0) resolve();
  });
}

test("a single tenant fills its batches, while several get a share each and take turns", async () => {
  const flood = Array.from({ length: 20 }, () => pending("a", "d", 1));
  assert.equal(tenantsOf(queuesWith(...flood).queues.takeShared()), "a".repeat(20));
  const { queues } = queuesWith(...flood, pending("b", "e", 1), pending("c", "f", 3));
  const first = queues.takeShared();
  assert.equal(tenantsOf(first), "aaaaabc");
  queues.add(pending("b", "e", 1));
  assert.equal(tenantsOf(queues.takeShared()), "", "nothing is taken from a tenant while its batch is being stored");
  const released = release(queues, first);
  assert.equal(tenantsOf(queues.takeShared()), "b", "a tenant that has spent its share pauses");
  await released;
  assert.equal(tenantsOf(queues.takeShared()), "aaaaa");
});

test("the share of a flooding tenant shrinks while its batches take long, and grows again when they do not", async () => {
  const flood = Array.from({ length: 500 }, () => pending("a", "d", 1));
  const { queues } = queuesSharing(64, ...flood, pending("b", "e", 1));
  const taken: number[] = [];
  for (const ms of [60, 60, 60, 0, 0]) {
    const batch = queues.takeShared();
    taken.push(batch.messages.filter(({ message }) => message.tenantId === "a").length);
    await release(queues, batch, ms);
  }
  assert.deepEqual(taken, [64, 32, 16, 8, 10]);
});

test("the time of a small batch does not count, so a slow disk does not shrink the share of a flooding tenant", async () => {
  const { queues } = queuesSharing(64);
  for (let n = 0; n < 50; n++) {
    queues.add(pending("b", "e", 1));
    await release(queues, queues.takeShared(), 25);
  }
  for (let n = 0; n < 200; n++) queues.add(pending("a", "d", 1));
  for (let n = 0; n < 2; n++) {
    const batch = queues.takeShared();
    assert.equal(batch.messages.length, 64);
    await release(queues, batch, 30);
  }
});

test("a message larger than the share is taken alone, and an isolated tenant's messages are taken separately", () => {
  const { queues, isolation } = queuesWith(pending("a", "d", 50), pending("a", "d", 1), pending("b", "e", 1));
  isolation.bad("b");
  const shared = queues.takeShared();
  assert.deepEqual([tenantsOf(shared), shared.messages[0]!.rows], ["a", 50]);
  assert.equal(queues.hasIsolated, true);
  assert.equal(tenantsOf(queues.takeIsolated()), "b");
  assert.equal(queues.hasIsolated, false);
});

test("each tenant's messages are taken once and in the order sent, whatever was put back", async () => {
  const sent = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 1, max: 7 }), fc.boolean()), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(sent, async (messages) => {
      const { queues } = queuesWith(...messages.map(([tenant, rows], at) => pending(tenant, "d", rows, at)));
      const taken: PendingMessage[] = [];
      for (let turn = 0; queues.hasShared; turn++) {
        const batch = queues.takeShared();
        if (messages[turn]?.[2]) {
          for (const queue of batch.queues) {
            queue.putBack(batch.messages.filter(({ message }) => message.tenantId === queue.tenantId));
          }
          messages[turn]![2] = false;
        } else taken.push(...batch.messages);
        await release(queues, batch);
      }
      for (const tenant of ["a", "b", "c"]) {
        const times = taken
          .filter(({ message }) => message.tenantId === tenant)
          .map(({ prepared }) => prepared.receivedAt);
        assert.deepEqual(
          times,
          messages.flatMap(([of], at) => (of === tenant ? [at] : [])),
        );
      }
    }),
  );
});

test("a tenant leaves isolation after good batches, and needs more of them the more often its own were bad", () => {
  const isolation = new Isolation();
  const goodUntilFree = (tenant: string) => {
    let batches = 0;
    for (; isolation.has(tenant); batches++) isolation.good(tenant);
    return batches;
  };
  isolation.suspect(["a", "b"]);
  isolation.bad("b");
  assert.deepEqual([goodUntilFree("a"), goodUntilFree("b")], [1, 2]);
  isolation.bad("b");
  assert.equal(goodUntilFree("b"), 4);
  assert.equal(isolation.size, 0);
});

test("suspects cleared the longest time ago are isolated first, so that each gets its turn", () => {
  const isolation = new Isolation();
  const tenants = Array.from({ length: 40 }, (_, index) => `t${index}`);
  const isolated = new Set<string>();
  for (let incident = 0; incident < 3; incident++) {
    isolation.suspect(tenants);
    for (const tenant of tenants.filter((each) => isolation.has(each))) {
      isolated.add(tenant);
      isolation.good(tenant);
    }
  }
  assert.equal(isolated.size, 40);
});

test("a database that is slow as a whole makes no batch slow, and one slow batch does not move the threshold", () => {
  const isolation = new Isolation();
  for (let n = 0; n < 20; n++) isolation.record(10);
  isolation.record(2_500);
  assert.equal(isolation.slowMs(), 100);
  for (let n = 0; n < 60; n++) isolation.record(400);
  assert.ok(isolation.slowMs() > 400);
});

test("the parts of a message contain every row once, and the last part of a metric evaluates all of it", () => {
  const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"), { minLength: 1 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(20), names), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 20 }),
      (readings, maxRows) => {
        const whole = pending("t", "d", 1).prepared;
        whole.readings = readings.map(([time, metrics], index) => ({
          time,
          timeReplaced: false,
          metrics,
          values: metrics.map(() => index),
        }));
        const parts = splitMessage(whole, maxRows);
        const stored = parts.flatMap(({ readings: of }) => rowTexts(of));
        assert.deepEqual(stored.toSorted(), rowTexts(whole.readings).toSorted());
        const evaluated = parts.flatMap((part) => rowTexts(part.evaluated ?? part.readings));
        assert.deepEqual(evaluated.toSorted(), rowTexts(whole.readings).toSorted());
        for (const part of parts) assert.ok(rowsOf(part) <= maxRows);
        for (const metric of ["a", "b", "c", "d", "e"]) assertNewestIsEvaluatedWithItself(parts, metric);
      },
    ),
  );
});

function rowTexts(readings: readonly TimedReading[]): string[] {
  return readings.flatMap(({ time, metrics, values }) =>
    metrics.map((metric, at) => `${metric} ${time} ${values[at]}`),
  );
}

/**
 * Asserts that one part evaluates the readings of a metric, that it stores the newest of them, and that no other part
 * of the metric follows.
 */
function assertNewestIsEvaluatedWithItself(parts: readonly PreparedMessage[], metric: string): void {
  const has = (readings: readonly TimedReading[]) => readings.some(({ metrics }) => metrics.includes(metric));
  const evaluating = parts.filter((part) => has(part.evaluated ?? part.readings));
  assert.ok(evaluating.length <= 1);
  const storing = parts.filter(({ readings }) => has(readings));
  assert.equal(storing.at(-1), evaluating[0]);
  const times = storing.map(({ readings }) => readings.filter(({ metrics }) => metrics.includes(metric)));
  const newest = Math.max(...times.flat().map(({ time }) => time));
  if (evaluating.length > 0) assert.ok(times.at(-1)!.some(({ time }) => time === newest));
}
