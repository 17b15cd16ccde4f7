import type { Clock } from "../../lib/clock.ts";
import { SECOND } from "../../lib/clock.ts";
import { stored } from "../../lib/limits/stored.ts";
import type { Logger } from "../../lib/logger.ts";
import { Message } from "../message.ts";
import type { BrokerPolicy, Principal, WaitingCommand } from "../policy/policy.ts";

/** The parts of its session that a delivery needs. */
export interface CommandSession {
  readonly isClosed: boolean;
  readonly principal: Principal | undefined;
  readonly deps: { policy: Pick<BrokerPolicy, "waitingCommands" | "acknowledgeCommand">; clock: Clock; logger: Logger };
  /** The topics to which the client subscribes with QoS 1 or 2. */
  acknowledgedTopics(): string[];
  /**
   * Sends a QoS 1 message; `finished` is called with true if the client acknowledged it, with false if it was not sent.
   */
  sendTracked(message: Message, finished: (isAcknowledged: boolean) => void): void;
}

const IN_FLIGHT = stored.commandsInFlight.value;

/** Sends the pending commands of a session's device, oldest first and a few at a time. */
export class CommandDelivery {
  readonly #session: CommandSession;
  /** The commands sent in this session and not known to be acknowledged. */
  readonly #sent = new Set<string>();
  #inFlight = 0;
  #isReading = false;
  /** Whether there may be more commands than were read. */
  #isStale = false;

  constructor(session: CommandSession) {
    this.#session = session;
  }

  /** Sends the commands that may be sent now, after commands were added or the device subscribed. */
  deliver(): void {
    this.#isStale = true;
    if (!this.#isReading) void this.#readAll();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isStale && !this.#session.isClosed && this.#inFlight < IN_FLIGHT) await this.#read();
    } catch (error) {
      // The next command, subscription or session triggers another read.
      this.#session.deps.logger.warn({ err: (error as Error).message }, "could not read the commands for a device");
    } finally {
      this.#isReading = false;
    }
  }

  async #read(): Promise<void> {
    const { principal, deps } = this.#session;
    const topics = this.#session.acknowledgedTopics();
    this.#isStale = false;
    if (topics.length === 0) return;
    const limit = IN_FLIGHT - this.#inFlight;
    const { commands, more } = await deps.policy.waitingCommands(principal!, { topics, sent: [...this.#sent], limit });
    if (more) this.#isStale = true;
    if (!this.#session.isClosed) for (const command of commands) this.#send(command);
  }

  #send({ id, topic, payload, expiresAt }: WaitingCommand): void {
    const { clock } = this.#session.deps;
    const messageExpiry = Math.max(1, Math.ceil((expiresAt.getTime() - clock.now().getTime()) / SECOND));
    this.#sent.add(id);
    this.#inFlight++;
    // A command can arrive twice: its id tells a repetition from a new command with the same payload.
    const userProperties: [string, string][] = [["commandId", id]];
    const message = new Message(topic, payload, 1, { messageExpiry, userProperties }, clock.monotonicMs());
    this.#session.sendTracked(message, (isAcknowledged) => void this.#finish(id, isAcknowledged));
  }

  /** Ends an acknowledged command; any other stays pending for the next session. */
  async #finish(id: string, isAcknowledged: boolean): Promise<void> {
    const { policy, logger } = this.#session.deps;
    try {
      if (isAcknowledged) await policy.acknowledgeCommand(id);
      if (isAcknowledged) this.#sent.delete(id);
    } catch (error) {
      logger.warn({ err: (error as Error).message }, "an acknowledged command will be sent again");
    }
    this.#inFlight--;
    if (this.#isStale && !this.#isReading) void this.#readAll();
  }
}
