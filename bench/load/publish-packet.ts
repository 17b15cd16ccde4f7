import { generate } from "mqtt-packet";

const TIMESTAMP = "0000000000000";

/** A prepared PUBLISH at QoS 1: only packet id and time change, so that encoding is not the bottleneck. */
export interface PublishPacket {
  readonly length: number;
  /** Writes the packet into `into` at the offset `at`. */
  write(into: Buffer, at: number, messageId: number, timeMs: number): void;
}

export function publishPacket(topic: string, values: string): PublishPacket {
  const payload = `{"ts":${TIMESTAMP},"values":${values}}`;
  const template = Buffer.from(
    generate({ cmd: "publish", topic, payload, qos: 1, messageId: 1, dup: false, retain: false }),
  );
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

/** The id of a session's `count`th message. */
export function messageIdOf(count: number): number {
  return (count % 65_535) + 1;
}
