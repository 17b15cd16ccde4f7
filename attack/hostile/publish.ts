import { generate } from "mqtt-packet";
import { messageIdOf } from "../../bench/load/publish-packet.ts";

/** A PUBLISH, the session's `count`th. */
export function publish(
  topic: string,
  payload: string | Buffer,
  count: number,
  { qos = 1, protocolVersion = 4 }: { qos?: 1 | 2; protocolVersion?: 4 | 5 } = {},
): Buffer {
  const messageId = messageIdOf(count);
  return generate({ cmd: "publish", topic, payload, qos, messageId, dup: false, retain: false }, { protocolVersion });
}

/** A message that breaks the rules of the metric `m`, then one that breaks none, and so on. */
export function flap(topic: string, count: number): Buffer {
  return publish(topic, `{"m":${count % 2 === 0 ? 100 : 0}}`, count);
}
