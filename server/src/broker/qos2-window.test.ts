import assert from "node:assert/strict";
import { test } from "node:test";
import { PacketGate } from "./packet-gate.ts";
import { PacketProblem } from "./packet-rules.ts";
import { Qos2Window } from "./qos2-window.ts";

const CONNECT = Buffer.from([0x10, 14, 0, 4, ...Buffer.from("MQTT"), 4, 2, 0, 60, 0, 2, ...Buffer.from("p1")]);
const publish = (id: number, payload = "") =>
  Buffer.from([0x34, 5 + payload.length, 0, 1, 0x74, id >> 8, id & 255, ...Buffer.from(payload)]);
const release = (id: number) => Buffer.from([0x62, 2, id >> 8, id & 255]);
const PING = Buffer.from([0xc0, 0]);

function connected(limits: { qos2InFlight: number; qos2Bytes: number }): PacketGate {
  const gate = new PacketGate(64 * 1024, new Qos2Window(limits));
  gate.feed(CONNECT);
  gate.next(1);
  return gate;
}

function passed(gate: PacketGate, ...packets: Buffer[]): Buffer {
  gate.feed(Buffer.concat(packets));
  const parts: Buffer[] = [];
  while (gate.hasBytes) {
    const next = gate.next(100);
    if (next === undefined) break;
    parts.push(next.bytes);
  }
  return Buffer.concat(parts);
}

test("QoS 2 messages beyond the window wait for a PUBREL, in their order, and other packets pass meanwhile", () => {
  const gate = connected({ qos2InFlight: 2, qos2Bytes: 1000 });
  assert.deepEqual(
    passed(gate, publish(1), publish(2), publish(3), PING, publish(4)),
    Buffer.concat([publish(1), publish(2), PING]),
  );
  assert.deepEqual(passed(gate, release(1)), Buffer.concat([release(1), publish(3)]));
  assert.deepEqual(
    passed(gate, publish(5), release(2), release(3)),
    Buffer.concat([release(2), release(3), publish(4), publish(5)]),
  );
});

test("a message that the engine already has passes again, without taking a place", () => {
  const gate = connected({ qos2InFlight: 1, qos2Bytes: 1000 });
  assert.deepEqual(passed(gate, publish(1), publish(1)), Buffer.concat([publish(1), publish(1)]));
  assert.deepEqual(
    passed(gate, release(1), release(1), publish(2)),
    Buffer.concat([release(1), release(1), publish(2)]),
  );
});

test("too many bytes that are held back, and a packet id used twice, end the connection", () => {
  const bytes = connected({ qos2InFlight: 2, qos2Bytes: 40 });
  passed(bytes, ...[1, 2, 3, 4].map((id) => publish(id, "x".repeat(12))));
  assert.throws(() => passed(bytes, publish(5, "x".repeat(12))), PacketProblem);
  const twice = connected({ qos2InFlight: 1, qos2Bytes: 1000 });
  passed(twice, publish(1), publish(2));
  assert.throws(() => passed(twice, publish(2)), PacketProblem);
});

test("what is held back counts in the budget until it passes, and ends the connection where the budget has no room", () => {
  let deferred = 0;
  const defer = (bytes: number) => {
    deferred += bytes;
    return deferred <= 20;
  };
  const gate = connected({ qos2InFlight: 1, qos2Bytes: 1000 });
  gate.accept(1000, {
    defer,
    undefer: (bytes) => {
      deferred -= bytes;
    },
  });
  passed(gate, publish(1), publish(2), publish(3));
  assert.equal(deferred, 2 * publish(1).length);
  passed(gate, release(1));
  passed(gate, release(2));
  assert.equal(deferred, 0);
  passed(gate, publish(4), publish(5));
  assert.throws(() => passed(gate, publish(6), publish(7)), PacketProblem);
});

test("after any sequence of publishes and releases no more than the window is with the engine, and none is lost", () => {
  const gate = connected({ qos2InFlight: 3, qos2Bytes: 10_000 });
  const open: number[] = [];
  const seen: number[] = [];
  let [state, next] = [20261122, 1];
  const take = (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += 2 + bytes[at + 1]!) {
      if (bytes[at] !== 0x34) continue;
      const id = bytes.readUInt16BE(at + 5);
      open.push(id);
      seen.push(id);
      assert.ok(open.length <= 3);
    }
  };
  while (seen.length < 500) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const oldest = open.length > 0 && (state >>> 9) % 2 === 0 ? open.shift() : undefined;
    if (oldest !== undefined) take(passed(gate, release(oldest)));
    else if (next - seen.length < 20) take(passed(gate, publish(next++)));
    else if (open.length > 0) take(passed(gate, release(open.shift()!)));
  }
  assert.deepEqual(
    seen,
    Array.from({ length: seen.length }, (_, n) => n + 1),
  );
});
