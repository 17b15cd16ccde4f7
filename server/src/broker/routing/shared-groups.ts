import type { Grant } from "./grant.ts";
import { type Delivery, lowerQos, type Message } from "./message.ts";

/** What takes its turn in a group. */
export interface Member {
  /** Whether it sends a message at once: it is connected, reads, and has acknowledged enough. */
  readonly isReady: boolean;
  /** Bytes that wait for its client. */
  readonly waitingBytes: number;
  deliver(delivery: Delivery): void;
}

/** What becomes of a message that was for a member of a group which has none left. @param group its filter with its name */
export type OnNoMember = (group: string, message: Message, isRetained: boolean) => void;

/** How many members are asked for one message. A member that is not ready costs the others no more than this look. */
const ASKED = 16;

/**
 * The sessions that share a subscription (MQTT 5, 4.8.2): each message goes to one of them. They take turns; one that is behind or
 * offline is passed over while another is ready.
 */
export class SharedGroup<S extends Member> {
  /** Its filter with its name: `$share/<name>/<filter>`. */
  readonly key: string;
  /** How many messages it has been offered, to take turns with members in other processes. */
  offered = 0;
  /** In the order of their turns. */
  readonly #members = new Map<S, Grant>();
  readonly #onNoMember: OnNoMember;

  constructor(key: string, onNoMember: OnNoMember = () => undefined) {
    this.key = key;
    this.#onNoMember = onNoMember;
  }

  get size(): number {
    return this.#members.size;
  }

  /** Whether a message would be sent at once. */
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
   * @param isRetained whether it was published to be retained
   * @returns false where there is no member
   */
  deliver(message: Message, isRetained: boolean): boolean {
    const member = this.#next();
    if (!member) return false;
    const grant = this.#members.get(member)!;
    const { qos, retainAsPublished, subscriptionIds } = grant;
    // Its turn comes again after those of all others.
    this.#members.delete(member);
    this.#members.set(member, grant);
    const retain = isRetained && retainAsPublished;
    const redeliver = () => {
      if (!this.deliver(message, isRetained)) this.#onNoMember(this.key, message, isRetained);
    };
    member.deliver({ message, qos: lowerQos(qos, message.qos), retain, subscriptionIds, redeliver });
    return true;
  }

  /** The first that is ready; otherwise the one that has least to send of those asked. */
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
