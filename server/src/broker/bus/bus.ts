import type { Message } from "../routing/message.ts";

/** A message on its way to the subscribers of other processes. */
export interface BusMessage {
  tenantId: string;
  message: Message;
  /** Whether it was published to be retained. */
  retain: boolean;
  /** Owners of stored sessions for which it was queued, as they were not connected. */
  queuedFor: ReadonlySet<string>;
}

/** A message for one member of a group that shares a subscription. */
export interface SharedMessage extends Omit<BusMessage, "queuedFor"> {
  /** The filter with the name of the group: `$share/<name>/<filter>`. */
  group: string;
  /** How many processes it has reached in which the last member had just left. */
  hops: number;
}

/** What a process does with the messages of others. */
export interface BusReceiver {
  deliver(message: BusMessage): void;
  deliverShared(message: SharedMessage): void;
}

/**
 * Carries messages between the processes that serve MQTT as one broker. A process announces to which filters its sessions subscribe, and
 * gets only what matches them; messages of one process arrive in their order. What the database decides (one session a client id, drops,
 * stored sessions) does not need it.
 */
export interface Bus {
  /** Joins the other processes. Resolves when messages reach those that were there. */
  start(receiver: BusReceiver): Promise<void>;
  /** Sends what waits, and leaves. */
  stop(): Promise<void>;
  /** Sends what waits now instead of at the end of this turn of the event loop. */
  flush(): void;
  /** A subscription of this process begins or ends; shared ones with the name of their group. The other processes hear of the first and the last. */
  interest(tenantId: string, filter: string, isOn: boolean): void;
  /** Resolves when the other processes know of all interest so far, or do not answer; undefined where they know already. */
  announced(): Promise<void> | undefined;
  /** @returns whether another process has a subscriber */
  publish(message: BusMessage): boolean;
  /** The groups with members in other processes that share a subscription to a topic, each with the number of these processes. */
  groupsOf(tenantId: string, topic: string): ReadonlyMap<string, number>;
  /** Sends to one of the other processes with members of the group, in turn. @returns false where there is none */
  publishShared(message: SharedMessage): boolean;
}
