import { generate } from "mqtt-packet";
import { messageIdOf } from "../../bench/load/publish-packet.ts";

/** A PUBLISH, the session's `count`th. */
export function publish(topic: string, payload: string | Buffer, count: number, qos: 1 | 2 = 1): Buffer {
  return generate({ cmd: "publish", topic, payload, qos, messageId: messageIdOf(count), dup: false, retain: false });
}

export function subscribe(topic: string, count: number): Buffer {
  return generate({ cmd: "subscribe", messageId: messageIdOf(count), subscriptions: [{ topic, qos: 1 }] });
}

/** A message that breaks the rules of the metric `m`, then one that breaks none, and so on. */
export function flap(topic: string, count: number): Buffer {
  return publish(topic, `{"m":${count % 2 === 0 ? 100 : 0}}`, count);
}
