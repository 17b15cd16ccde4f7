import type { KnownSession } from "../../connections/connections.ts";
import type { Message } from "../routing/message.ts";

/** Who takes a message for the owners of stored sessions that subscribe to it. Each owner is in one of the two, or not known to the sender. */
export interface Route {
  /** Owners for whom it is stored, as no process served them. */
  storedFor: ReadonlySet<string>;
  /** Owner → name of the process that has its connection. */
  servedBy: ReadonlyMap<string, string>;
  /** Those of `servedBy` for whom the sender has stored messages before, which come first. */
  unread: ReadonlySet<string>;
}

/** Of a message that no stored session gets beside those that are connected to the processes it is sent to. */
export const DIRECT: Route = Object.freeze({
  storedFor: new Set<string>(),
  servedBy: new Map<string, string>(),
  unread: new Set<string>(),
});

/** A message on its way to the subscribers of other processes. */
export interface BusMessage {
  tenantId: string;
  message: Message;
  /** Whether it was published to be retained. */
  retain: boolean;
  route: Route;
}

/** A message for one member of a group that shares a subscription. */
export interface SharedMessage extends Omit<BusMessage, "route"> {
  /** The filter with the name of the group: `$share/<name>/<filter>`. */
  group: string;
  /** How many processes it has reached in which the last member had just left. */
  hops: number;
}

/** What a process does with the messages of others. */
export interface BusReceiver {
  deliver(message: BusMessage): void;
  deliverShared(message: SharedMessage): void;
  /**
   * Another process has ended the connection of a stored session, and takes no messages for it any more.
   *
   * @param settled resolves when what was sent to that process for it is stored, or that process does not answer
   */
  released(session: KnownSession, settled: Promise<void>): void;
  /** The database names another session as the client's one: a session of this process, if it is one, is to end. */
  replaced(sessionId: string): void;
  /** A message did not get to the process of this name, or it is not known whether it did. */
  undelivered(message: BusMessage, name: string): void;
}

/**
 * Carries messages between the processes that serve MQTT as one broker. A process announces to which filters its sessions subscribe, and
 * gets only what matches them; messages of one process arrive in their order. What the database decides (one session a client id, drops,
 * stored sessions) does not need it.
 */
export interface Bus {
  /** How the other processes know this one. */
  readonly name: string;
  /** Joins the other processes. Resolves when messages reach those that were there. */
  start(receiver: BusReceiver): Promise<void>;
  /** Sends what waits, and leaves. */
  stop(): Promise<void>;
  /** Sends what waits now instead of at the end of this turn of the event loop. */
  flush(): void;
  /** A subscription of this process begins or ends; shared ones with the name of their group. The other processes hear of the first and the last. */
  interest(tenantId: string, filter: string, isOn: boolean): void;
  /** A connection of this process has the stored session of an owner. The other processes hear of it after all interest so far. */
  serve(ownerId: string): void;
  /** It has ended. @param session as it is stored then, unless it is not; the other processes know it before they hear of interest that ends */
  release(ownerId: string, session?: KnownSession): void;
  /** What was sent here for the owner before the other processes knew of the release is stored. */
  settled(ownerId: string): void;
  /** The other process that serves the owner of a stored session. */
  serverOf(ownerId: string): string | undefined;
  /** Resolves when no other process serves the owner; undefined where none does. */
  freed(ownerId: string): Promise<void> | undefined;
  /** Resolves when the other processes know of all interest so far, or do not answer; undefined where they know already. */
  announced(): Promise<void> | undefined;
  /** A session of another process was replaced by one of this process. That process may not learn it from the database: it may be cut off from that. */
  replace?(sessionId: string): void;
  /** @returns whether another process has a subscriber */
  publish(message: BusMessage): boolean;
  /** The groups with members in other processes that share a subscription to a topic, each with the number of these processes. */
  groupsOf(tenantId: string, topic: string): ReadonlyMap<string, number>;
  /** Sends to one of the other processes with members of the group, in turn. @returns false where there is none */
  publishShared(message: SharedMessage): boolean;
}
