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
const DONE = 0;
/** Implementation specific error (MQTT 5, 3.4.2.1). */
const FAILED = 0x83;

/** Gives commands to the handler one after the other, in the order of their arrival, over all sessions. */
export class CommandInbox implements Subscriptions {
  readonly #handler: CommandHandler;
  readonly #events: CommandEvents;
  #waiting: Waiting[] = [];
  #isHandling = false;
  #isOverflowing = false;

  constructor(handler: CommandHandler, events: CommandEvents) {
    this.#handler = handler;
    this.#events = events;
  }

  take(packet: IPublishPacket, acknowledge: (code: number) => void, isOpen: () => boolean): void {
    const isRepeated = packet.qos > 0;
    if (!this.#hasRoom(isRepeated)) {
      this.#overflow();
      return;
    }
    const { topic, retain: retained } = packet;
    const payload = typeof packet.payload === "string" ? Buffer.from(packet.payload) : packet.payload;
    this.#waiting.push({ command: { topic, payload, retained }, isRepeated, acknowledge, isOpen });
    if (this.#isHandling) return;
    this.#isHandling = true;
    queueMicrotask(() => void this.#handleAll());
  }

  refused(topic: string, code: number): void {
    const message = `The broker does not let this device subscribe to ${topic}: ${reasonText(code)}.`;
    this.#events.refused(topic, new AgentError("subscription_refused", message, { reasonCode: code }));
  }

  #hasRoom(isRepeated: boolean): boolean {
    if (this.#waiting.length < MOST_WAITING) return true;
    this.#waiting = this.#waiting.filter(isWanted);
    return this.#waiting.filter((other) => other.isRepeated === isRepeated).length < MOST_WAITING;
  }

  #overflow(): void {
    if (this.#isOverflowing) return;
    this.#isOverflowing = true;
    const message = `Commands are dropped: ${MOST_WAITING} wait for the handler.`;
    this.#events.dropped(new AgentError("dropped", message));
  }

  async #handleAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
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
