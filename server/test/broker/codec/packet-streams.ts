import { FrameReader } from "../../../src/broker/codec/frame-reader.ts";
import { PacketProblem } from "../../../src/broker/codec/problem.ts";
import { LastTopic } from "../../../src/broker/codec/read-publish.ts";
import { NONE, properties } from "../mqtt5.ts";
import { CONNECT, packet, readPacket, readPacket5, utf8 } from "../packets.ts";

export const MAX_PACKET = 64 * 1024;

/** The packets of which streams consist: packets that a client may send, and some that it must not. */
export const PIECES: readonly Buffer[] = [
  packet(0x30, "t/a/telemetry/x", [1, 2, 3]),
  packet(0x32, "t/a/telemetry/x", [0, 1], [123]),
  packet(0x3d, "t", [255, 255]),
  packet(0x31, "t"),
  packet(0x30, utf8("t/größe/温度/😀")),
  packet(0x30, "x".repeat(256), Array<number>(300).fill(7)),
  packet(0x40, [0, 1]),
  packet(0x50, [0, 1]),
  packet(0x62, [0, 1]),
  packet(0x70, [0, 1]),
  packet(0x82, [0, 1], "a/+/#", [1], "b", [0]),
  packet(0xa2, [0, 1], "a/#"),
  packet(0xc0),
  packet(0xe0),
  packet(0x10, "MQTT", [4, 0xf6, 0, 60], "pump-1", "t/a", "will", "user", "secret"),
  packet(0x20, [0, 0]),
  packet(0x30, "t/#"),
  packet(0x30, "t/\0"),
  Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x01]),
  Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]),
];

/** The same for MQTT 5. */
export const PIECES_5: readonly Buffer[] = [
  packet(0x30, "t/a/telemetry/x", NONE, [1, 2, 3]),
  packet(
    0x32,
    "t/a",
    [0, 1],
    properties([1, 1, 2, 0, 0, 0, 9, 3], "text", [8], "t/b", [9], "id", [0x26], "k", "v"),
    [123],
  ),
  packet(0x34, "", [0, 2], properties([0x23, 0, 1])),
  packet(0x40, [0, 1]),
  packet(0x50, [0, 1, 0x97]),
  packet(0x62, [0, 1, 0x92], properties([0x1f], "why")),
  packet(0x70, [0, 1, 0], NONE),
  packet(0x82, [0, 1], properties([0x0b, 0x80, 1]), "a/+/#", [0x2d], "b", [0]),
  packet(0xa2, [0, 1], NONE, "a/#"),
  packet(0xc0),
  packet(0xe0),
  packet(0xe0, [4], properties([0x11, 0, 0, 0, 9])),
  packet(0xe0, [0x8b]),
  packet(0x30, "t", properties([0x23, 0, 0])),
  packet(0x82, [0, 1], NONE, "a", [3]),
  packet(0xf0, [0x18]),
];

/** The result of reading a stream after a CONNECT: the packets, and the problem that ended it. */
export interface Outcome {
  packets: unknown[];
  problem: string | undefined;
}

/**
 * Reads a stream that arrives in these chunks.
 * @throws any error but a PacketProblem
 */
export function readStream(chunks: Iterable<Buffer>, version: 4 | 5 = 4): Outcome {
  const read = version === 5 ? readPacket5 : readPacket;
  const reader = new FrameReader(MAX_PACKET);
  const lastTopic = new LastTopic();
  const packets: unknown[] = [];
  reader.feed(CONNECT);
  reader.next();
  for (const chunk of chunks) {
    reader.feed(chunk);
    try {
      while (reader.next()) packets.push(own(read(reader, lastTopic)));
    } catch (problem) {
      if (problem instanceof PacketProblem) return { packets, problem: problem.message };
      throw problem;
    }
  }
  return { packets, problem: undefined };
}

/** The packet as text, since its bytes share the memory of its chunk. */
function own(read: unknown): string {
  return JSON.stringify(read) ?? "nothing";
}

/** Returns a deterministic sequence of numbers below a bound. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

/** Returns one to six packets in which up to four bytes were changed, inserted or removed. */
export function mutatedStream(random: (below: number) => number, pieces: readonly Buffer[] = PIECES): Buffer {
  let bytes = Buffer.concat(Array.from({ length: 1 + random(6) }, () => pieces[random(pieces.length)]!));
  for (let left = random(5); left > 0; left--) {
    const at = random(bytes.length + 1);
    const kind = random(3);
    const middle = kind === 0 ? [] : [random(256)];
    bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(middle), bytes.subarray(kind === 1 ? at : at + 1)]);
  }
  return bytes;
}

/** Cuts `bytes` into chunks of at most `max` bytes. */
export function cut(bytes: Buffer, random: (below: number) => number, max: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + random(max);
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}
