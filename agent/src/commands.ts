import type { IPublishPacket } from "mqtt-packet";
import { reasonText } from "./connection/reasons.ts";
import type { Subscriptions } from "./connection/session.ts";
import { AgentError, asAgentError } from "./errors.ts";

/** A message for the device. It may arrive more than once, because the broker resends unacknowledged messages. */
export interface Command {
  topic: string;
  payload: Buffer;
  /** Whether the broker had retained it as the last message on its topic. */
  retained: boolean;
  /** The id of a queued command, the same at each repetition; absent for other messages, and with MQTT 3.1.1. */
  commandId?: string;
}

/** Executes a command, which is acknowledged when the promise resolves, and refused when it rejects. */
export type CommandHandler = (command: Command) => void | Promise<void>;

export interface CommandEvents {
  /** Called when the handler has thrown; the broker does not resend the command. */
  failed(command: Command, error: AgentError): void;
  /**
   * Called once when more commands wait for the handler than are kept, and again only after the handler has caught up.
   */
  dropped(error: AgentError): void;
  /** Called when the broker refuses this device's subscription to a topic. */
  refused(topic: string, error: AgentError): void;
}

/** A command waiting for the handler. */
interface Waiting {
  command: Command;
  /** Whether its QoS is 1 or 2: the broker resends it in the next session until it is acknowledged. */
  isRepeated: boolean;
  acknowledge(code: number): void;
  isOpen(): boolean;
}

/**
 * The maximum number of commands waiting for the handler, for QoS 0 and for the others separately, so that QoS 0
 * commands cannot displace those that must be acknowledged. With MQTT 5 the Receive Maximum limits the others of one
 * session; with MQTT 3.1.1 nothing does.
 */
const MOST_WAITING = 1000;
/**
 * The maximum bytes of topics and payloads, of each kind. With MQTT 5 the Receive Maximum and the Maximum Packet Size
 * limit QoS 1 and 2 to half of it.
 */
const MOST_BYTES = 8 * 1024 * 1024;
const DONE = 0;
/** Implementation specific error (MQTT 5, 3.4.2.1). */
const FAILED = 0x83;

/** Passes commands to the handler one at a time, in the order of their arrival, across all sessions. */
export class CommandInbox implements Subscriptions {
  readonly #handler: CommandHandler;
  readonly #events: CommandEvents;
  #waiting: Waiting[] = [];
  /** The bytes of both kinds. */
  #bytes = 0;
  #isHandling = false;
  #isOverflowing = false;

  constructor(handler: CommandHandler, events: CommandEvents) {
    this.#handler = handler;
    this.#events = events;
  }

  take(packet: IPublishPacket, acknowledge: (code: number) => void, isOpen: () => boolean): void {
    const isRepeated = packet.qos > 0;
    const { topic, retain: retained } = packet;
    // The payload is copied, since the parser's buffer would keep all bytes that were read with it.
    const payload = Buffer.from(packet.payload as Buffer);
    const commandId = packet.properties?.userProperties?.commandId;
    const command = { topic, payload, retained, ...(typeof commandId === "string" && { commandId }) };
    if (!this.#hasRoom(isRepeated, size(command))) {
      this.#overflow();
      return;
    }
    this.#waiting.push({ command, isRepeated, acknowledge, isOpen });
    this.#bytes += size(command);
    if (this.#isHandling) return;
    this.#isHandling = true;
    queueMicrotask(() => void this.#handleAll());
  }

  refused(topic: string, code: number): void {
    const message = `The broker does not let this device subscribe to ${topic}: ${reasonText(code)}.`;
    this.#events.refused(topic, new AgentError("subscription_refused", message, { reasonCode: code }));
  }

  #hasRoom(isRepeated: boolean, bytes: number): boolean {
    if (this.#waiting.length < MOST_WAITING && this.#bytes + bytes <= MOST_BYTES) return true;
    this.#waiting = this.#waiting.filter(isWanted);
    this.#bytes = totalSize(this.#waiting);
    const sameKind = this.#waiting.filter((other) => other.isRepeated === isRepeated);
    return sameKind.length < MOST_WAITING && totalSize(sameKind) + bytes <= MOST_BYTES;
  }

  #overflow(): void {
    if (this.#isOverflowing) return;
    this.#isOverflowing = true;
    const message = `Commands are dropped: ${this.#waiting.length} (${this.#bytes} bytes) are waiting for the handler.`;
    this.#events.dropped(new AgentError("dropped", message));
  }

  async #handleAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#bytes -= size(next.command);
      if (isWanted(next)) next.acknowledge(await this.#handle(next.command));
    }
    this.#isHandling = false;
    this.#isOverflowing = false;
  }

  async #handle(command: Command): Promise<number> {
    try {
      await this.#handler(command);
      return DONE;
    } catch (thrown) {
      this.#events.failed(command, asAgentError(thrown));
      return FAILED;
    }
  }
}

/**
 * Reports whether a command should be handled: a message that can no longer be acknowledged arrives again in the next
 * session.
 */
const isWanted = ({ isRepeated, isOpen }: Waiting): boolean => !isRepeated || isOpen();

function size({ topic, payload }: Command): number {
  return topic.length + payload.length;
}

function totalSize(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { command }) => sum + size(command), 0);
}
