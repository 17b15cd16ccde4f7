import type { KnownSession } from "../../connections/connections.ts";
import type { Message } from "../message.ts";

/**
 * Which process handles a message for each owner of a stored session that subscribes to it. An owner is in at most one
 * of the two; an owner in neither is unknown to the sender.
 */
export interface Route {
  /** Owners for whom the message is stored, because no process served them. */
  storedFor: ReadonlySet<string>;
  /** The name of the process that has the owner's connection, by owner. */
  servedBy: ReadonlyMap<string, string>;
  /** The owners in `servedBy` for whom the sender has stored earlier messages, which must be delivered first. */
  unread: ReadonlySet<string>;
}

/** The route of a message that only sessions connected to the receiving processes get. */
export const DIRECT: Route = Object.freeze({
  storedFor: new Set<string>(),
  servedBy: new Map<string, string>(),
  unread: new Set<string>(),
});

/** A message in transit to the subscribers of other processes. */
export interface BusMessage {
  tenantId: string;
  message: Message;
  /** Whether it was published with RETAIN. */
  retain: boolean;
  route: Route;
}

/** A message for one member of a group that shares a subscription. */
export interface SharedMessage extends Omit<BusMessage, "route"> {
  /** The filter including the group's name: `$share/<name>/<filter>`. */
  group: string;
  /** The number of processes that forwarded it because their last member had just left. */
  hops: number;
}

/** The handlers for messages from other processes. */
export interface BusReceiver {
  deliver(message: BusMessage): void;
  deliverShared(message: SharedMessage): void;
  /**
   * Handles the end of a stored session's connection in another process, which accepts no more messages for it.
   *
   * @param flushed resolves once everything sent to that process for the session is stored, or that process does not
   * answer
   */
  released(session: KnownSession, flushed: Promise<void>): void;
  /** Ends a session of this process, if the id names one: the database has recorded another session for the client. */
  replaced(sessionId: string): void;
  /** Handles a message that did not reach the process of this name, or may not have. */
  undelivered(message: BusMessage, name: string): void;
}

/**
 * Carries messages between the processes that serve MQTT as one broker. A process announces the filters that its
 * sessions subscribe to, and receives only matching messages; messages from one process arrive in order. Decisions made
 * in the database (one session per client id, drops, stored sessions) do not depend on the bus.
 */
export interface Bus {
  /** The name by which the other processes know this one. */
  readonly name: string;
  /** Joins the other processes. Resolves once messages reach the processes present at the start. */
  start(receiver: BusReceiver): Promise<void>;
  /** Sends the pending frames, and leaves. */
  stop(): Promise<void>;
  /** Sends the pending frames now instead of at the end of this turn of the event loop. */
  flush(): void;
  /**
   * Records that a subscription of this process begins or ends; a shared one includes its group's name. The first and
   * the last per filter are announced to the other processes.
   */
  interest(tenantId: string, filter: string, isOn: boolean): void;
  /** Announces that a connection of this process has an owner's stored session, after all interest so far. */
  serve(ownerId: string): void;
  /**
   * Announces that the connection has ended. @param session as stored then, if it is; announced ahead of the interest
   * that ends
   */
  release(ownerId: string, session?: KnownSession): void;
  /** Announces that everything sent here for the owner before the others knew of the release is stored. */
  flushed(ownerId: string): void;
  /** Returns the other process that serves the owner of a stored session. */
  serverOf(ownerId: string): string | undefined;
  /** Resolves when no other process serves the owner; undefined if none does. */
  freed(ownerId: string): Promise<void> | undefined;
  /** Resolves when the other processes know of all interest so far or do not answer; undefined if they already know. */
  announced(): Promise<void> | undefined;
  /**
   * Announces that a session of this process replaced one of another process, which may be cut off from the database.
   */
  replace?(sessionId: string): void;
  /** Sends a message to the processes with subscribers. @returns whether there is one */
  publish(message: BusMessage): boolean;
  /**
   * Returns the groups with members in other processes that share a subscription to a topic, and the number of those
   * processes.
   */
  groupsOf(tenantId: string, topic: string): ReadonlyMap<string, number>;
  /** Sends to the next process in turn with members of the group. @returns false if there is none */
  publishShared(message: SharedMessage): boolean;
}
