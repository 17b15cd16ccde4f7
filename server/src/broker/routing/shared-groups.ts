import { type Delivery, lowerQos, type Message } from "../message.ts";
import type { Grant } from "./grant.ts";

/** A member of a group, which takes its turn. */
export interface Member {
  /** Whether it sends a message immediately: it is connected, reads, and has acknowledged enough. */
  readonly isReady: boolean;
  /** The bytes that wait for its client. */
  readonly waitingBytes: number;
  deliver(delivery: Delivery): void;
}

/**
 * Handles a message for a member of a group that has no members left. @param group the filter including the group's
 * name
 */
export type OnNoMember = (group: string, message: Message, isRetained: boolean) => void;

/** The number of members asked per message. Members that are not ready cost at most this many checks. */
const ASKED = 16;

/**
 * The sessions that share a subscription (MQTT 5, 4.8.2): each message goes to one of them. They take turns; a session
 * that is behind or offline is skipped while another is ready.
 */
export class SharedGroup<S extends Member> {
  /** The filter including the group's name: `$share/<name>/<filter>`. */
  readonly key: string;
  /** The number of messages offered so far, by which it takes turns with members in other processes. */
  offered = 0;
  /** The members in the order of their turns. */
  readonly #members = new Map<S, Grant>();
  readonly #onNoMember: OnNoMember;

  constructor(key: string, onNoMember: OnNoMember = () => undefined) {
    this.key = key;
    this.#onNoMember = onNoMember;
  }

  get size(): number {
    return this.#members.size;
  }

  /** Whether a message would be sent immediately. */
  get isReady(): boolean {
    return this.#next()?.isReady ?? false;
  }

  set(member: S, grant: Grant): void {
    this.#members.set(member, grant);
  }

  delete(member: S): boolean {
    return this.#members.delete(member);
  }

  /**
   * Sends a message to one member, with its QoS [MQTT-4.8.2-3].
   *
   * @param isRetained whether it was published with RETAIN
   * @returns false if there is no member
   */
  deliver(message: Message, isRetained: boolean): boolean {
    const member = this.#next();
    if (!member) return false;
    const grant = this.#members.get(member)!;
    const { qos, retainAsPublished, subscriptionIds } = grant;
    // The member moves to the back of the queue.
    this.#members.delete(member);
    this.#members.set(member, grant);
    const retain = isRetained && retainAsPublished;
    const redeliver = () => {
      if (!this.deliver(message, isRetained)) this.#onNoMember(this.key, message, isRetained);
    };
    member.deliver({ message, qos: lowerQos(qos, message.qos), retain, subscriptionIds, redeliver });
    return true;
  }

  /** Returns the first ready member; otherwise, among those asked, the one with the fewest waiting bytes. */
  #next(): S | undefined {
    let best: S | undefined;
    let asked = 0;
    for (const member of this.#members.keys()) {
      if (member.isReady) return member;
      if (!best || member.waitingBytes < best.waitingBytes) best = member;
      if (++asked === ASKED) break;
    }
    return best;
  }
}
