import { Cursor, type Frame } from "./cursor.ts";
import { PacketProblem } from "./problem.ts";
import type { Properties } from "./property-table.ts";
import { readProperties } from "./read-properties.ts";
import { readFilter } from "./read-subscribe.ts";
import { sharedFilter } from "./shared-filter.ts";

/**
 * When a new subscription is sent retained messages: 0 always, 1 if it did not exist before, 2 never (MQTT 5, 3.8.3.1).
 */
export type RetainHandling = 0 | 1 | 2;

export interface Subscription5 {
  filter: string;
  qos: 0 | 1 | 2;
  /** The session does not receive its own messages. */
  noLocal: boolean;
  /** RETAIN is forwarded as it was published. */
  retainAsPublished: boolean;
  retainHandling: RetainHandling;
}

export interface SubscribePacket5 {
  packetId: number;
  properties: Properties;
  subscriptions: Subscription5[];
}

/** Reads a SUBSCRIBE (MQTT 5, 3.8). @throws {PacketProblem} */
export function readSubscribe5(frame: Frame): SubscribePacket5 {
  const cursor = new Cursor(frame);
  const packetId = cursor.packetId();
  const properties = readProperties(cursor, "subscribe");
  const subscriptions: Subscription5[] = [];
  // [MQTT-3.8.3-2]
  if (cursor.isAtEnd) throw new PacketProblem("no topic filter");
  while (!cursor.isAtEnd) subscriptions.push(readSubscription(cursor, subscriptions.length));
  return { packetId, properties, subscriptions };
}

function readSubscription(cursor: Cursor, before: number): Subscription5 {
  const filter = readFilter5(cursor, before);
  const options = cursor.byte();
  // [MQTT-3.8.3-5]
  if ((options & 0xc0) !== 0) throw new PacketProblem("reserved subscription options");
  const [qos, retainHandling] = [options & 3, (options >> 4) & 3];
  if (qos === 3 || retainHandling === 3) throw new PacketProblem("subscription options");
  const noLocal = (options & 4) !== 0;
  // [MQTT-3.8.3-4]
  if (noLocal && sharedFilter(filter)) {
    throw new PacketProblem("no local on a shared subscription", "protocol_error");
  }
  return {
    filter,
    qos: qos as Subscription5["qos"],
    noLocal,
    retainAsPublished: (options & 8) !== 0,
    retainHandling: retainHandling as RetainHandling,
  };
}

export interface UnsubscribePacket5 {
  packetId: number;
  filters: string[];
}

/** Reads an UNSUBSCRIBE (MQTT 5, 3.10). @throws {PacketProblem} */
export function readUnsubscribe5(frame: Frame): UnsubscribePacket5 {
  const cursor = new Cursor(frame);
  const packetId = cursor.packetId();
  readProperties(cursor, "unsubscribe");
  const filters: string[] = [];
  // [MQTT-3.10.3-2]
  if (cursor.isAtEnd) throw new PacketProblem("no topic filter");
  while (!cursor.isAtEnd) filters.push(readFilter5(cursor, filters.length));
  return { packetId, filters };
}

/** Reads a filter; a shared subscription has a name without wildcards and a filter [MQTT-4.8.2-1], [MQTT-4.8.2-2]. */
function readFilter5(cursor: Cursor, before: number): string {
  const filter = readFilter(cursor, before);
  const shared = sharedFilter(filter);
  if (shared && (shared.name === "" || shared.filter === "" || /[+#]/.test(shared.name))) {
    throw new PacketProblem("a shared subscription without name or filter", "protocol_error");
  }
  return filter;
}
