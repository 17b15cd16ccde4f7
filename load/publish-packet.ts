import { generate } from "mqtt-packet";

const TIMESTAMP = "0000000000000";

/** Three values that break no rule of the benchmarks. */
export const QUIET = '{"temperature":21.5,"pressure":4.25,"vibration":1.125}';

/** A prepared PUBLISH at QoS 1: only packet id and time change, so that encoding is not the bottleneck. */
export interface PublishPacket {
  readonly length: number;
  /** Writes the packet into `into` at the offset `at`. */
  write(into: Buffer, at: number, messageId: number, timeMs: number): void;
}

export function publishPacket(topic: string, values: string): PublishPacket {
  const template = publish(topic, `{"ts":${TIMESTAMP},"values":${values}}`, 0);
  const timeAt = template.indexOf(TIMESTAMP);
  const idAt = template.indexOf('{"ts"') - 2;
  return {
    length: template.length,
    write(into, at, messageId, timeMs) {
      template.copy(into, at);
      into.writeUInt16BE(messageId, at + idAt);
      into.write(String(timeMs), at + timeAt, "latin1");
    },
  };
}

/** Returns the bytes of a packet. @param count position of the message in its session, from 0 */
export function packetBytes(packet: PublishPacket, count: number, timeMs = Date.now()): Buffer {
  const bytes = Buffer.allocUnsafe(packet.length);
  packet.write(bytes, 0, messageIdOf(count), timeMs);
  return bytes;
}

/** Returns the packet id of a session's `count`th message. */
export function messageIdOf(count: number): number {
  return (count % 65_535) + 1;
}

/** Encodes a PUBLISH, the session's `count`th. */
export function publish(topic: string, payload: string | Buffer, count: number, qos: 1 | 2 = 1): Buffer {
  return generate({ cmd: "publish", topic, payload, qos, messageId: messageIdOf(count), dup: false, retain: false });
}
