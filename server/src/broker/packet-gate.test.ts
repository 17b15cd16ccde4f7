import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Packet, parser } from "mqtt-packet";
import { PacketGate } from "./packet-gate.ts";
import { PacketProblem } from "./packet-rules.ts";
import { connackCode } from "./policy/answers.ts";
import { Qos2Window } from "./qos2-window.ts";

const LIMIT = 64 * 1024;
const newGate = () => new PacketGate(LIMIT, new Qos2Window({ qos2InFlight: 20, qos2Bytes: 1024 }));

function remainingLength(length: number): number[] {
  return length < 128 ? [length] : [(length & 127) | 128, ...remainingLength(length >> 7)];
}

function packet(first: number, ...parts: (string | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? field(part) : Buffer.from(part))));
  return Buffer.concat([Buffer.from([first, ...remainingLength(body.length)]), body]);
}

function field(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
}

const CONNECT = packet(0x10, "MQTT", [4, 2, 0, 60], "pump-1");
const utf8 = (text: string) => Buffer.from(text).toString("latin1");

/** What passes of `bytes` fed after a CONNECT, in one piece, and why the rest was refused. */
function afterConnect(bytes: Buffer): { passed: Buffer; problem: string | undefined } {
  const gate = newGate();
  gate.feed(CONNECT);
  assert.equal(gate.next(1)?.connect, true);
  gate.feed(bytes);
  return drain(gate);
}

function drain(gate: PacketGate): { passed: Buffer; problem: string | undefined } {
  const parts: Buffer[] = [];
  try {
    for (let next = gate.next(Infinity); next; next = gate.next(Infinity)) parts.push(next.bytes);
  } catch (problem) {
    assert.ok(problem instanceof PacketProblem, String(problem));
    return { passed: Buffer.concat(parts), problem: problem.message };
  }
  return { passed: Buffer.concat(parts), problem: undefined };
}

const good: Record<string, Buffer> = {
  "QoS 0": packet(0x30, "t/a/telemetry/x", [1, 2, 3]),
  "QoS 1": packet(0x32, "t/a/telemetry/x", [0, 1], [123]),
  "QoS 2, repeated, retained": packet(0x3d, "t", [255, 255]),
  "an empty payload": packet(0x31, "t"),
  "a topic in any script": packet(0x30, utf8("t/größe/温度/😀")),
  "a topic of 256 bytes": packet(0x30, "x".repeat(256)),
  puback: packet(0x40, [0, 1]),
  pubrec: packet(0x50, [0, 1]),
  pubrel: packet(0x62, [0, 1]),
  pubcomp: packet(0x70, [0, 1]),
  subscribe: packet(0x82, [0, 1], "a/+/#", [1], "b", [0]),
  unsubscribe: packet(0xa2, [0, 1], "a/#"),
  ping: packet(0xc0),
};

const bad: Record<string, Buffer> = {
  "type 0": packet(0x00),
  "a second CONNECT": CONNECT,
  "a server's CONNACK": packet(0x20, [0, 0]),
  "a server's SUBACK": packet(0x90, [0, 1, 0]),
  "a server's PINGRESP": packet(0xd0),
  AUTH: packet(0xf0),
  "QoS 3": packet(0x36, "t", [0, 1]),
  "DUP at QoS 0": packet(0x38, "t"),
  "packet id 0": packet(0x32, "t", [0, 0]),
  "no packet id": packet(0x32, "t", [1]),
  "an empty topic": packet(0x30, ""),
  "a topic of 257 bytes": packet(0x30, "x".repeat(257)),
  "a topic longer than the packet": packet(0x30, [0, 9, 0x74]),
  "half a topic length": packet(0x30, [0]),
  "no body at all": packet(0x30),
  "# in a topic name": packet(0x30, "t/#"),
  "+ in a topic name": packet(0x30, "t/+/x"),
  "NUL in a topic": packet(0x30, "t/\0"),
  "a line feed in a topic": packet(0x30, "t/\n"),
  "DEL in a topic": packet(0x30, "t/\x7f"),
  "C1 in a topic": packet(0x30, utf8("t/\u0085")),
  "bad UTF-8": packet(0x30, "t/\xff"),
  "an overlong slash": packet(0x30, "t\xc0\xaf"),
  "a surrogate": packet(0x30, "t\xed\xa0\x80"),
  "a cut sequence": packet(0x30, "t\xe2\x82"),
  "PUBREL without its flags": packet(0x60, [0, 1]),
  "PUBACK with flags": packet(0x42, [0, 1]),
  "PUBACK with id 0": packet(0x40, [0, 0]),
  "a long PUBACK": packet(0x40, [0, 1, 0]),
  "a short PUBACK": packet(0x40, [1]),
  "SUBSCRIBE without flags": packet(0x80, [0, 1], "a", [0]),
  "SUBSCRIBE with id 0": packet(0x82, [0, 0], "a", [0]),
  "SUBSCRIBE to nothing": packet(0x82, [0, 1]),
  "SUBSCRIBE without QoS": packet(0x82, [0, 1], "a"),
  "SUBSCRIBE with QoS 3": packet(0x82, [0, 1], "a", [3]),
  "SUBSCRIBE with options": packet(0x82, [0, 1], "a", [4]),
  "SUBSCRIBE to an empty filter": packet(0x82, [0, 1], "", [0]),
  "SUBSCRIBE to 101 filters": packet(0x82, [0, 1], ...Array.from({ length: 101 }, () => [0, 1, 97, 0])),
  "UNSUBSCRIBE from nothing": packet(0xa2, [0, 1]),
  "a ping with a body": packet(0xc0, [0]),
  "a DISCONNECT with a body": packet(0xe0, [0]),
  "a length of five bytes": Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x01]),
  "a packet over the limit": Buffer.from([0x30, ...remainingLength(LIMIT)]),
  "a packet of 256 MB": Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]),
};

const badConnects: Record<string, [Buffer, number | undefined]> = {
  "MQTT 5": [packet(0x10, "MQTT", [5, 2, 0, 60], [0], "pump-1"), 1],
  "a bridge's level": [packet(0x10, "MQTT", [0x84, 2, 0, 60], "pump-1"), 1],
  "MQTT 3.1's level under 3.1.1's name": [packet(0x10, "MQTT", [3, 2, 0, 60], "pump-1"), 1],
  "another protocol": [packet(0x10, "MQTX", [4, 2, 0, 60], "pump-1"), undefined],
  "a long protocol name": [packet(0x10, "MQTTMQTT", [4, 2, 0, 60], "pump-1"), undefined],
  "an empty client id": [packet(0x10, "MQTT", [4, 0, 0, 60], ""), 2],
  "an empty client id, clean": [packet(0x10, "MQTT", [4, 2, 0, 60], ""), 2],
  "a client id of 65 bytes": [packet(0x10, "MQTT", [4, 2, 0, 60], "x".repeat(65)), 2],
  "a client id of 24 bytes at MQTT 3.1": [packet(0x10, "MQIsdp", [3, 2, 0, 60], "x".repeat(24)), 2],
  "NUL in the client id": [packet(0x10, "MQTT", [4, 2, 0, 60], "a\0"), undefined],
  "bad UTF-8 in the client id": [packet(0x10, "MQTT", [4, 2, 0, 60], "a\xff"), undefined],
  "the reserved flag": [packet(0x10, "MQTT", [4, 3, 0, 60], "a"), undefined],
  "will QoS 3": [packet(0x10, "MQTT", [4, 0x1e, 0, 60], "a", "t", "p"), undefined],
  "will QoS without a will": [packet(0x10, "MQTT", [4, 0x0a, 0, 60], "a"), undefined],
  "will retain without a will": [packet(0x10, "MQTT", [4, 0x22, 0, 60], "a"), undefined],
  "NUL in the will topic": [packet(0x10, "MQTT", [4, 6, 0, 60], "a", "t\0", "p"), undefined],
  "a wildcard in the will topic": [packet(0x10, "MQTT", [4, 6, 0, 60], "a", "t/#", "p"), undefined],
  "an empty will topic": [packet(0x10, "MQTT", [4, 6, 0, 60], "a", "", "p"), undefined],
  "no will payload": [packet(0x10, "MQTT", [4, 6, 0, 60], "a", "t"), undefined],
  "a password without a name": [packet(0x10, "MQTT", [4, 0x42, 0, 60], "a", "p"), undefined],
  "no password where one is announced": [packet(0x10, "MQTT", [4, 0xc2, 0, 60], "a", "u"), undefined],
  "bytes at the end": [packet(0x10, "MQTT", [4, 2, 0, 60], "a", [0]), undefined],
  "flags on the packet": [packet(0x11, "MQTT", [4, 2, 0, 60], "a"), undefined],
  "nothing in it": [packet(0x10), undefined],
  "no client id": [packet(0x10, "MQTT", [4, 2, 0, 60]), 2],
  "a publish first": [packet(0x30, "t"), undefined],
  HTTP: [Buffer.from("GET / HTTP/1.1\r\n\r\n"), undefined],
};

test("valid packets pass byte for byte, whether they arrive whole or one byte at a time", () => {
  for (const [name, bytes] of Object.entries(good)) {
    assert.deepEqual(afterConnect(bytes), { passed: bytes, problem: undefined }, name);
  }
  const all = Buffer.concat(Object.values(good));
  const gate = newGate();
  const parts: Buffer[] = [];
  for (const byte of Buffer.concat([CONNECT, all])) {
    gate.feed(Buffer.of(byte));
    parts.push(drain(gate).passed);
  }
  assert.deepEqual(Buffer.concat(parts), Buffer.concat([CONNECT, all]));
});

test("every forbidden packet is refused, and the valid ones before it have passed", () => {
  for (const [name, bytes] of Object.entries(bad)) {
    const { passed, problem } = afterConnect(Buffer.concat([good["QoS 1"]!, bytes, good.ping!]));
    assert.notEqual(problem, undefined, name);
    assert.deepEqual(passed, good["QoS 1"], name);
  }
});

test("every forbidden CONNECT is refused, with a return code where MQTT has one", () => {
  for (const [name, [bytes, code]] of Object.entries(badConnects)) {
    const gate = newGate();
    gate.feed(bytes);
    assert.throws(
      () => gate.next(1),
      (problem) => problem instanceof PacketProblem && connackCode(problem.problem, 4) === code,
      name,
    );
  }
});

test("a packet over the limit is refused at its header, and the limit is higher once the client has authenticated", () => {
  const body = "x".repeat(LIMIT);
  const big = packet(0x30, "t", [...Buffer.from(body)]);
  assert.equal(afterConnect(big.subarray(0, 4)).problem, "a long packet");
  const gate = newGate();
  gate.feed(CONNECT);
  gate.next(1);
  gate.accept(4 * LIMIT, { defer: () => true, undefer: () => undefined });
  for (let at = 0; at < big.length; at += 1000) gate.feed(big.subarray(at, at + 1000));
  assert.deepEqual(gate.next(1)?.bytes, big);
});

test("packets behind a CONNECT wait for the next call, and no more packets pass than requested", () => {
  const gate = newGate();
  gate.feed(Buffer.concat([CONNECT, good.ping!, good.puback!, good.ping!, good.ping!]));
  assert.deepEqual(gate.next(10)?.bytes, CONNECT);
  assert.deepEqual(gate.next(1)?.bytes, good.ping);
  const rest = gate.next(2);
  assert.equal(rest?.messages, 2, "an acknowledgement is not counted");
  assert.equal(gate.hasBytes, false);
});

test("a small message counts against the budget of unsettled messages with what it costs in memory", () => {
  const gate = newGate();
  gate.feed(Buffer.concat([CONNECT, ...Array<Buffer>(100).fill(good["QoS 1"]!)]));
  assert.equal(gate.next(1)?.unsettledBytes, 0);
  const passed = gate.next(100);
  assert.equal(passed?.unsettledBytes, passed!.bytes.length + 100 * 4096);
});

test("10,000 mutated streams, cut anywhere, never crash the gate, and the parser reads what passes without an error", () => {
  const pieces = [...Object.values(good), ...Object.values(bad)];
  const stream = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }).map((all) => Buffer.concat(all));
  const mutation = fc.record({ at: fc.nat(400), value: fc.nat(255), kind: fc.constantFrom("set", "insert", "delete") });
  fc.assert(
    fc.property(stream, fc.array(mutation, { maxLength: 4 }), fc.nat(40), (bytes, mutations, cut) => {
      const mutated = mutations.reduce(mutate, bytes);
      const gate = newGate();
      gate.feed(CONNECT);
      gate.next(1);
      gate.feed(mutated.subarray(0, cut));
      const first = drain(gate);
      const passed = [first.passed];
      if (first.problem === undefined) {
        gate.feed(mutated.subarray(cut));
        passed.push(drain(gate).passed);
      }
      const whole = Buffer.concat(passed);
      assert.deepEqual(whole, mutated.subarray(0, whole.length), "nothing is added, reordered or left out");
      parseAll(Buffer.concat([CONNECT, whole]));
    }),
    { numRuns: 10_000, seed: 20261120 },
  );
});

function mutate(bytes: Buffer, { at, value, kind }: { at: number; value: number; kind: string }): Buffer {
  const where = at % (bytes.length + 1);
  const after = kind === "insert" ? where : where + 1;
  const middle = kind === "delete" ? [] : [value];
  return Buffer.concat([bytes.subarray(0, where), Buffer.from(middle), bytes.subarray(after)]);
}

function parseAll(bytes: Buffer): void {
  const reader = parser();
  reader.on("error", (error: Error) => assert.fail(`the parser: ${error.message}`));
  const packets: Packet[] = [];
  reader.on("packet", (each: Packet) => packets.push(each));
  reader.parse(bytes);
  assert.equal(packets[0]?.cmd, "connect");
}
