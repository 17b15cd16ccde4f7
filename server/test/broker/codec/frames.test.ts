import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameReader } from "../../../src/broker/codec/frame-reader.ts";
import { PacketProblem } from "../../../src/broker/codec/problem.ts";
import { CONNECT, packet } from "../packets.ts";
import { remainingLength } from "../raw-client.ts";
import { cut, MAX_PACKET, mutatedStream, PIECES, PIECES_5, randomFrom, readStream } from "./packet-streams.ts";

const PING = packet(0xc0);

test("a packet's bounds are found, whether it arrives complete or byte by byte", () => {
  const all = Buffer.concat([CONNECT, packet(0x30, "t", [1, 2]), PING, packet(0x30, "x".repeat(200))]);
  for (const size of [1, 2, 3, 7, 100, all.length]) {
    const reader = new FrameReader(MAX_PACKET);
    const found: Buffer[] = [];
    for (let at = 0; at < all.length; at += size) {
      reader.feed(all.subarray(at, at + size));
      while (reader.next()) found.push(reader.bytes.subarray(reader.end - reader.length, reader.end));
    }
    assert.deepEqual(Buffer.concat(found), all, `${size} bytes at a time`);
    assert.equal(found.length, 4);
    assert.equal(reader.hasBytes, false);
  }
});

/** Headers after a CONNECT, with the statement [MQTT-…] that forbids them. */
const FORBIDDEN: [clause: string, what: string, bytes: Buffer][] = [
  ["2.2.2-2", "PUBREL without its flags", packet(0x60, [0, 1])],
  ["2.2.2-2", "PUBACK with flags", packet(0x42, [0, 1])],
  ["2.2.2-2", "SUBSCRIBE without flags", packet(0x80, [0, 1], "a", [0])],
  ["2.2.2-2", "PINGREQ with flags", packet(0xc1)],
  ["2.2.1", "type 0", packet(0x00)],
  ["2.2.1", "a server's CONNACK", packet(0x20, [0, 0])],
  ["2.2.1", "a server's SUBACK", packet(0x90, [0, 1, 0])],
  ["2.2.1", "a server's UNSUBACK", packet(0xb0, [0, 1])],
  ["2.2.1", "a server's PINGRESP", packet(0xd0)],
  ["2.2.1", "type 15", packet(0xf0)],
  ["2.2.3", "a length of five bytes", Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x01])],
  ["3.1.0-2", "a second CONNECT", CONNECT],
  ["3.3.1-2", "DUP at QoS 0", packet(0x38, "t")],
  ["3.3.1-4", "QoS 3", packet(0x36, "t", [0, 1])],
  ["our limit", "a packet over the limit", Buffer.from([0x30, ...remainingLength(MAX_PACKET)])],
  ["our limit", "a packet of 256 MB", Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])],
];

test("a forbidden header is refused as soon as it has arrived, and the packets before it are found", () => {
  for (const [clause, what, bytes] of FORBIDDEN) {
    const reader = new FrameReader(MAX_PACKET);
    reader.feed(Buffer.concat([CONNECT, PING, bytes.subarray(0, 5)]));
    assert.deepEqual([reader.next(), reader.next()], [true, true], what);
    assert.throws(() => reader.next(), PacketProblem, `${clause}: ${what}`);
  }
});

test("the first packet is a CONNECT [MQTT-3.1.0-1]", () => {
  for (const bytes of [PING, packet(0x30, "t"), Buffer.from("GET / HTTP/1.1\r\n\r\n"), Buffer.of(0x16, 3, 1)]) {
    const reader = new FrameReader(MAX_PACKET);
    reader.feed(bytes.subarray(0, 1));
    assert.throws(() => reader.next(), PacketProblem);
  }
});

test("a packet over the limit is refused at its header, and the limit may grow", () => {
  const big = packet(0x30, "t", Array<number>(MAX_PACKET).fill(7));
  const reader = new FrameReader(MAX_PACKET);
  reader.feed(CONNECT);
  assert.equal(reader.next(), true);
  reader.maxPacket = 4 * MAX_PACKET;
  for (let at = 0; at < big.length; at += 1000) {
    assert.equal(reader.next(), false);
    reader.feed(big.subarray(at, at + 1000));
  }
  assert.equal(reader.next(), true);
  assert.equal(reader.length, big.length);
});

test("bytes that arrive during a pause keep their order, and those of a long packet are freed", () => {
  const random = randomFrom(20261124);
  const all = Array.from({ length: 60 }, (_, n) => packet(0x30, "t", Array<number>((n * 7919) % 40_000).fill(n)));
  const reader = new FrameReader(MAX_PACKET);
  reader.feed(Buffer.from(CONNECT));
  assert.equal(reader.next(), true);
  const found: Buffer[] = [];
  const next = () => {
    const isFound = reader.next();
    if (isFound) found.push(Buffer.from(reader.bytes.subarray(reader.end - reader.length, reader.end)));
    return isFound;
  };
  let freed = 0;
  for (const slice of cut(Buffer.concat(all), random, 16_384)) {
    const chunk = Buffer.from(new Uint8Array(slice).buffer);
    const { length } = chunk;
    reader.feed(chunk);
    if (chunk.length < length) freed++;
    if (random(4) > 0) while (next());
  }
  while (next());
  assert.deepEqual(found, all);
  assert.equal(reader.hasBytes, false);
  assert.ok(freed > 0);
});

test("the packets and the final problem of a stream do not depend on how it is cut", () => {
  const random = randomFrom(20261122);
  for (let round = 0; round < 3_000; round++) {
    const bytes = mutatedStream(random);
    const whole = readStream([bytes]);
    for (const max of [1, 9, 400]) {
      assert.deepEqual(readStream(cut(bytes, random, max)), whole, bytes.toString("hex"));
    }
  }
});

for (const [version, pieces] of [
  [4, PIECES],
  [5, PIECES_5],
] as const) {
  test(`20,000 mutated streams of version ${version} are read or refused alike however they are cut, without any other error`, () => {
    const random = randomFrom(20261123);
    let [read, refused] = [0, 0];
    for (let round = 0; round < 20_000; round++) {
      const bytes = mutatedStream(random, pieces);
      const outcome = readStream([bytes], version);
      read += outcome.packets.length;
      if (outcome.problem) refused++;
      if (round % 10 === 0) assert.deepEqual(readStream(cut(bytes, random, 9), version), outcome);
    }
    assert.ok(read > 10_000 && refused > 5_000, `${read} packets were read, ${refused} streams refused`);
  });
}

test("the allowed packets among those of the streams are read", () => {
  const problems = PIECES.map((bytes) => readStream([bytes]).problem);
  assert.deepEqual(
    problems.map((problem) => problem === undefined),
    PIECES.map((_, index) => index < 14),
  );
});
