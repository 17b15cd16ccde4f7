import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { Cursor, type Frame } from "./cursor.ts";
import { PacketProblem } from "./problem.ts";
import { checkTopicFilter, MAX_TOPIC_BYTES } from "./topics.ts";

const MAX_FILTERS = DEFAULT_LIMITS.mqttFilters;

export interface Subscription {
  filter: string;
  qos: 0 | 1 | 2;
}

export interface SubscribePacket {
  packetId: number;
  subscriptions: Subscription[];
}

/** Reads a SUBSCRIBE (MQTT 3.1.1, 3.8). @throws {PacketProblem} */
export function readSubscribe(frame: Frame): SubscribePacket {
  const cursor = new Cursor(frame);
  const packetId = cursor.packetId();
  const subscriptions: Subscription[] = [];
  // [MQTT-3.8.3-3]
  do {
    const filter = readFilter(cursor, subscriptions.length);
    const qos = cursor.byte();
    // [MQTT-3.8.3-4]
    if (qos > 2) throw new PacketProblem("a subscription's QoS");
    subscriptions.push({ filter, qos: qos as Subscription["qos"] });
  } while (!cursor.isAtEnd);
  return { packetId, subscriptions };
}

export interface UnsubscribePacket {
  packetId: number;
  filters: string[];
}

/** Reads an UNSUBSCRIBE (MQTT 3.1.1, 3.10). @throws {PacketProblem} */
export function readUnsubscribe(frame: Frame): UnsubscribePacket {
  const cursor = new Cursor(frame);
  const packetId = cursor.packetId();
  const filters: string[] = [];
  // [MQTT-3.10.3-2]
  do filters.push(readFilter(cursor, filters.length));
  while (!cursor.isAtEnd);
  return { packetId, filters };
}

/** Reads a topic filter. @param before the number of filters before this one in the packet */
export function readFilter(cursor: Cursor, before: number): string {
  if (before === MAX_FILTERS) throw new PacketProblem("too many topic filters", "quota_exceeded");
  const filter = cursor.text(MAX_TOPIC_BYTES, "topic filter", "topic_filter_invalid");
  checkTopicFilter(filter);
  return filter;
}
