import { generate } from "mqtt-packet";

const TIMESTAMP = "0000000000000";

/** A PUBLISH at QoS 1 of which only the packet id and the time change: the load must not be the bottleneck. */
export interface PublishPacket {
  readonly length: number;
  /** Puts it into `into` at `at`. */
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
