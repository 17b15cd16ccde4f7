import type { IPublishPacket } from "mqtt-packet";
import { reasonText } from "./connection/reasons.ts";
import type { Subscriptions } from "./connection/session.ts";
import { AgentError, asAgentError } from "./errors.ts";

/** A message for the device. It may arrive more than once: the broker repeats what it has no acknowledgement of. */
export interface Command {
  topic: string;
  payload: Buffer;
  /** The broker had kept it as the last one of its topic. */
  retained: boolean;
}

/** Carries out a command, which is acknowledged when the promise resolves, and refused when it rejects. */
export type CommandHandler = (command: Command) => void | Promise<void>;

export interface CommandEvents {
  /** The handler has thrown; the broker does not send the command again. */
  failed(command: Command, error: AgentError): void;
  /** More commands wait for the handler than are kept. Called once, and again after the handler has caught up. */
  dropped(error: AgentError): void;
  /** The broker does not let this device subscribe to a topic. */
  refused(topic: string, error: AgentError): void;
}

/** A command until the handler has it. */
interface Waiting {
  command: Command;
  /** QoS 1 or 2: the broker repeats it in its next session until it is acknowledged. */
  isRepeated: boolean;
  acknowledge(code: number): void;
  isOpen(): boolean;
}

/**
 * The most commands that wait for the handler, of QoS 0 and of the others each: those of QoS 0 must not displace what has to be acknowledged.
 * With MQTT 5 the Receive Maximum bounds the others of one session, with MQTT 3.1.1 nothing does.
 */
const MOST_WAITING = 1000;
/** Of topics and payloads, of each kind. Of MQTT 5 the Receive Maximum and the Maximum Packet Size permit no more of QoS 1 and 2 than half of it. */
const MOST_BYTES = 8 * 1024 * 1024;
const DONE = 0;
/** Implementation specific error (MQTT 5, 3.4.2.1). */
const FAILED = 0x83;

/** Gives commands to the handler one after the other, in the order of their arrival, over all sessions. */
export class CommandInbox implements Subscriptions {
  readonly #handler: CommandHandler;
  readonly #events: CommandEvents;
  #waiting: Waiting[] = [];
  /** Of both kinds. */
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
    // A copy: what the parser gives would keep all that was read with it.
    const command = { topic, payload: Buffer.from(packet.payload as Buffer), retained };
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
    const message = `Commands are dropped: ${this.#waiting.length} (${this.#bytes} bytes) wait for the handler.`;
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

/** A message that cannot be acknowledged any more arrives again in the next session. */
const isWanted = ({ isRepeated, isOpen }: Waiting): boolean => !isRepeated || isOpen();

function size({ topic, payload }: Command): number {
  return topic.length + payload.length;
}

function totalSize(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { command }) => sum + size(command), 0);
}
