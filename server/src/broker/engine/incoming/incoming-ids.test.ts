import assert from "node:assert/strict";
import { test } from "node:test";
import { PacketProblem } from "../../codec/problem.ts";
import type { PublishPacket } from "../../codec/read-publish.ts";
import { IncomingIds } from "./incoming-ids.ts";

const publish = (packetId: number): PublishPacket => ({
  topic: "t",
  qos: 2,
  retain: false,
  packetId,
  payload: Buffer.from(`${packetId}`),
});

function idsWithin(limits: { qos2InFlight: number; qos2Bytes: number }, room = Infinity) {
  const budget = {
    deferred: 0,
    defer(bytes: number) {
      if (this.deferred + bytes > room) return false;
      this.deferred += bytes;
      return true;
    },
    undefer(bytes: number) {
      this.deferred -= bytes;
    },
  };
  return { ids: new IncomingIds(limits, budget), budget };
}

test("messages beyond the window wait for a PUBREL, in order", () => {
  const { ids } = idsWithin({ qos2InFlight: 2, qos2Bytes: 1000 });
  const arrived = [1, 2, 3, 4].map((id) => ids.arrived(publish(id), 10));
  assert.deepEqual(arrived, ["first", "first", "deferred", "deferred"]);
  assert.deepEqual(ids.release(2), { packet: publish(3), bytes: 10 });
  assert.equal(ids.arrived(publish(2), 10), "deferred", "behind the waiting messages");
  assert.equal(ids.release(1)?.packet.packetId, 4);
  assert.equal(ids.release(3)?.packet.packetId, 2);
  assert.equal(ids.release(4), undefined);
});

test("a message whose id is open is a repetition and takes no slot", () => {
  const { ids } = idsWithin({ qos2InFlight: 1, qos2Bytes: 1000 });
  assert.deepEqual(
    [false, true, true, false].map((isDuplicate) => ids.arrived(publish(1), 10, isDuplicate)),
    ["first", "repeated", "repeated", "repeated"],
  );
  assert.throws(() => ids.arrived(publish(1), 10), PacketProblem, "the third one without DUP");
  ids.release(1);
  assert.equal(ids.release(1), undefined);
  assert.equal(ids.arrived(publish(2), 10), "first");
});

test("too many waiting bytes, and a packet id used twice, are refused", () => {
  const { ids } = idsWithin({ qos2InFlight: 1, qos2Bytes: 40 });
  for (const id of [1, 2, 3]) ids.arrived(publish(id), 20);
  assert.throws(() => ids.arrived(publish(4), 1), PacketProblem);
  assert.throws(() => ids.arrived(publish(2), 20), PacketProblem);
});

test("deferred messages count against the budget until they are open, and are refused if it has no room", () => {
  const { ids, budget } = idsWithin({ qos2InFlight: 1, qos2Bytes: 1000 }, 20);
  for (const id of [1, 2, 3]) ids.arrived(publish(id), 10);
  assert.equal(budget.deferred, 20);
  assert.throws(() => ids.arrived(publish(4), 10), PacketProblem);
  for (const id of [1, 2, 3]) ids.release(id);
  assert.equal(budget.deferred, 0);
});

test("after any sequence of publishes and releases, at most the window is open and no message is lost", () => {
  const { ids, budget } = idsWithin({ qos2InFlight: 3, qos2Bytes: 10_000 });
  const [open, seen]: [number[], number[]] = [[], []];
  let [state, next, deferred] = [20261122, 1, 0];
  const take = (id: number) => {
    open.push(id);
    seen.push(id);
    assert.ok(open.length <= 3);
  };
  while (seen.length < 500) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const oldest = (state >>> 9) % 2 === 0 || deferred === 20 ? open.shift() : undefined;
    const released = oldest === undefined ? undefined : ids.release(oldest);
    if (released) {
      deferred--;
      take(released.packet.packetId);
    }
    if (oldest !== undefined) continue;
    if (ids.arrived(publish(next), 10) === "first") take(next);
    else deferred++;
    next++;
  }
  assert.equal(budget.deferred, deferred * 10);
  assert.deepEqual(
    seen,
    Array.from({ length: seen.length }, (_, n) => n + 1),
  );
});
