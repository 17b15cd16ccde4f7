import type { DropTarget } from "../../connections/connections.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import type { Principal } from "./policy.ts";

interface RetainedMessage {
  owner: string;
  tenantId: string;
  bytes: number;
}

interface Usage {
  messages: number;
  bytes: number;
}

/**
 * Which messages the engine of this process retains: how many and how large those of a tenant are, and who published them last, so
 * that they are removed with their device or MQTT client.
 */
export class RetainedMessages {
  readonly #limits: Pick<Limits, "retainedMessages" | "retainedBytes">;
  readonly #byTopic = new Map<string, RetainedMessage>();
  readonly #topicsOf = new Map<string, Set<string>>();
  readonly #usageOf = new Map<string, Usage>();

  constructor(limits: Pick<Limits, "retainedMessages" | "retainedBytes">) {
    this.#limits = limits;
  }

  /** @returns whether the engine may retain the message; where it may not, the message that it had on the topic stays */
  admit(principal: Principal, topic: string, payloadBytes: number): boolean {
    // MQTT 3.1.1, 3.3.1.3: an empty message removes the one that is retained.
    if (payloadBytes === 0) {
      this.#remove(topic);
      return true;
    }
    const { tenantId } = principal;
    const known = this.#byTopic.get(topic);
    const bytes = Buffer.byteLength(topic) + payloadBytes;
    const usage = this.#usageOf.get(tenantId) ?? { messages: 0, bytes: 0 };
    const messages = usage.messages + (known ? 0 : 1);
    const allBytes = usage.bytes + bytes - (known?.bytes ?? 0);
    if (messages > this.#limits.retainedMessages || allBytes > this.#limits.retainedBytes) return false;
    this.#remove(topic);
    this.#add(topic, { owner: ownerOf(principal), tenantId, bytes });
    return true;
  }

  /** Forgets the messages of a device or MQTT client. @returns their topics, for the engine to remove */
  removeOf(target: DropTarget): string[] {
    const [[field, id]] = Object.entries(target) as [[string, string]];
    const topics = [...(this.#topicsOf.get(`${field} ${id}`) ?? [])];
    for (const topic of topics) this.#remove(topic);
    return topics;
  }

  #add(topic: string, message: RetainedMessage): void {
    this.#byTopic.set(topic, message);
    const topics = this.#topicsOf.get(message.owner) ?? new Set();
    this.#topicsOf.set(message.owner, topics.add(topic));
    const usage = this.#usageOf.get(message.tenantId) ?? { messages: 0, bytes: 0 };
    this.#usageOf.set(message.tenantId, { messages: usage.messages + 1, bytes: usage.bytes + message.bytes });
  }

  #remove(topic: string): void {
    const message = this.#byTopic.get(topic);
    if (!message) return;
    this.#byTopic.delete(topic);
    const topics = this.#topicsOf.get(message.owner)!;
    topics.delete(topic);
    if (topics.size === 0) this.#topicsOf.delete(message.owner);
    const usage = this.#usageOf.get(message.tenantId)!;
    usage.messages--;
    usage.bytes -= message.bytes;
    if (usage.messages === 0) this.#usageOf.delete(message.tenantId);
  }
}

/** As a {@link DropTarget} names it. */
function ownerOf({ deviceUid, mqttClientId }: Principal): string {
  return deviceUid === undefined ? `mqttClientId ${mqttClientId}` : `deviceUid ${deviceUid}`;
}
