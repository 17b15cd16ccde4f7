import { EventEmitter } from "node:events";
import type { AgentEvents } from "./agent-events.ts";
import { type CommandHandler, CommandInbox } from "./commands.ts";
import { Link, type LinkEvents } from "./connection/link.ts";
import type { MqttVersion } from "./connection/reasons.ts";
import { AgentError } from "./errors.ts";
import { Outbox } from "./outbox/outbox.ts";
import { DEFAULT_QUEUE_LIMITS, type QueueLimits } from "./outbox/queue.ts";
import { autoRenew } from "./renewal/auto-renew.ts";
import { renewWith, renew as renewWithoutLink } from "./renewal/renew.ts";
import { type Runtime, systemRuntime } from "./runtime.ts";
import type { Identity } from "./state/identity.ts";
import { loadIdentity } from "./state/state.ts";
import { withResolvers } from "./with-resolvers.ts";

export interface MusterAgentOptions {
  /** The folder written by {@link enroll}. */
  stateDir: string;
  /** The bounds of the offline queue; 10,000 messages and 8 MiB by default. */
  queue?: Partial<QueueLimits>;
  /** Whether the agent renews automatically when the time comes; true by default. */
  autoRenew?: boolean;
  /**
   * Handles messages for the device, on the topics to which its type lets it subscribe. They wait at the broker while
   * the device is offline, and while an agent runs without this option.
   */
  onCommand?: CommandHandler;
  /** `auto` by default: MQTT 5, or 3.1.1 if the broker answers that it does not speak 5. */
  mqttVersion?: MqttVersion | "auto";
  runtime?: Runtime;
}

export interface PublishOptions {
  /** The topic; by default the first one on which the certificate may publish. */
  topic?: string;
  retain?: boolean;
}

/** A reading, or any other JSON value; strings and bytes are sent unchanged. */
export type Payload = string | Uint8Array | object;

/** The largest message that the server accepts, in bytes. */
const LONGEST_PAYLOAD = 128 * 1024;

/**
 * An enrolled device: keeps one connection open, queues messages while there is none, and renews its certificate in
 * time.
 *
 *     const agent = new MusterAgent({ stateDir });
 *     await agent.connect();
 *     await agent.publish({ temperature: 21.5 });
 *     await agent.close();
 */
export class MusterAgent extends EventEmitter<AgentEvents> {
  readonly stateDir: string;
  readonly #runtime: Runtime;
  readonly #outbox: Outbox;
  readonly #link: Link;
  readonly #autoRenew: boolean;
  readonly #mqttVersion: MqttVersion | "auto";
  readonly #closing = new AbortController();
  #identity: Identity | undefined;
  #loading: Promise<Identity> | undefined;
  #autoRenewal: Promise<void> | undefined;
  #renewing: Promise<Identity> | undefined;

  constructor(options: MusterAgentOptions) {
    super();
    this.stateDir = options.stateDir;
    this.#runtime = options.runtime ?? systemRuntime;
    this.#autoRenew = options.autoRenew ?? true;
    const limits = { ...DEFAULT_QUEUE_LIMITS, ...options.queue };
    this.#outbox = new Outbox(limits, this.#runtime, (count, reason, error) =>
      this.emit("dropped", { count, reason, ...(error === undefined ? {} : { error }) }),
    );
    const { mqttVersion = "auto", onCommand } = options;
    this.#mqttVersion = mqttVersion;
    const subscriptions = onCommand === undefined ? undefined : this.#inbox(onCommand);
    this.#link = new Link(this.stateDir, this.#runtime, { mqttVersion, subscriptions }, this.#linkEvents());
  }

  #inbox(onCommand: CommandHandler): CommandInbox {
    return new CommandInbox(onCommand, {
      failed: (command, error) => this.emit("command-failed", { command, error }),
      dropped: (error) => this.emit("commands-dropped", { error }),
      refused: (topic, error) => this.emit("not-subscribed", { topic, error }),
    });
  }

  #linkEvents(): LinkEvents {
    return {
      up: (session, identity) => {
        this.#identity = identity;
        this.#outbox.attach(session);
        const { deviceId } = identity.device;
        const certExpiresAt = new Date(identity.certificate.validTo);
        this.emit("connected", { deviceId, certExpiresAt, mqttVersion: session.version });
      },
      down: (session, end) => {
        this.#outbox.detach(session, end);
        this.emit("disconnected", { reason: end.text, ...(end.code === undefined ? {} : { code: end.code }) });
      },
      failed: (error, consecutive, retryInMs) => {
        if (consecutive > 0) this.emit("refused", { error, consecutive, retryInMs });
        else this.emit("unreachable", { error, retryInMs });
      },
      revoked: (error) => this.emit("revoked", { error }),
      referred: (server) => this.emit("referred", { server }),
      fellBack: () => this.emit("fell-back"),
      promoted: (identity) => this.#promoted(identity),
    };
  }

  get connected(): boolean {
    return this.#link.connected;
  }

  /** The identity of the last connection; undefined before the first. */
  get identity(): Identity | undefined {
    return this.#identity;
  }

  /** The numbers of messages that are waiting for acknowledgement, acknowledged, and dropped. */
  get counts(): { waiting: number; acknowledged: number; dropped: number } {
    const { length: waiting, acknowledged, dropped } = this.#outbox;
    return { waiting, acknowledged, dropped };
  }

  /**
   * Keeps the connection open from now on, and resolves when it is open for the first time. Failures before that are
   * retried, unless `retry` is false: then the first failure rejects and closes the agent.
   *
   * @throws AgentError `not_enrolled` or `state_damaged` immediately; `closed` if the agent is closed before
   */
  async connect(options: { retry?: boolean } = {}): Promise<void> {
    if (this.#closing.signal.aborted) throw closedError();
    await this.#load();
    if (this.connected) return;
    const first = this.#firstOutcome(options.retry ?? true);
    this.#link.start();
    if (this.#autoRenew) this.#autoRenewal ??= this.#startAutoRenewal();
    try {
      await first;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /**
   * Sends one message at QoS 1 and resolves on its PUBACK; a PUBACK for telemetry means that it is stored. Without a
   * connection the message waits in the queue.
   *
   * @throws AgentError `topic_not_authorised` or `message_too_large` immediately; `message_refused` if the broker
   *   refuses it; `dropped` or `closed` if it will not be sent
   */
  async publish(payload: Payload, options: PublishOptions = {}): Promise<void> {
    if (this.#closing.signal.aborted) throw closedError();
    const topic = this.#topic(this.#identity ?? (await this.#load()), options.topic);
    const bytes = toBytes(payload);
    if (bytes.length > LONGEST_PAYLOAD) {
      throw new AgentError(
        "message_too_large",
        `The message has ${bytes.length} bytes; at most ${LONGEST_PAYLOAD} are accepted.`,
      );
    }
    await this.#outbox.add(topic, bytes, options.retain ?? false);
  }

  /**
   * Publishes metric values with the device's present time, so that a delayed message keeps the time of its reading.
   */
  report(values: Record<string, number | boolean | string>, options: PublishOptions = {}): Promise<void> {
    return this.publish({ ts: Math.round(this.#runtime.now()), values }, options);
  }

  /** Resolves when every message so far is acknowledged or dropped. */
  async drained(): Promise<void> {
    // Messages published before the identity was read are not in the outbox yet.
    await this.#loading?.catch(() => {});
    await this.#outbox.drained();
  }

  /**
   * Renews now: requests a new key and certificate, which replace the old ones once they have connected. The new
   * session takes over a running one without losing a message. Calls during a renewal share it.
   */
  renew(): Promise<Identity> {
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** Disconnects and drops unsent messages; await {@link drained} first to send them. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#link.stop();
    await this.#autoRenewal;
    this.#outbox.clear(closedError());
  }

  /** Loads the identity. Concurrent callers share one load, so that messages published during it keep their order. */
  #load(): Promise<Identity> {
    this.#loading ??= loadIdentity(this.stateDir)
      .then((identity) => {
        this.#identity ??= identity;
        return this.#identity;
      })
      .finally(() => {
        this.#loading = undefined;
      });
    return this.#loading;
  }

  async #renewOnce(): Promise<Identity> {
    if (this.#autoRenewal === undefined && !this.connected) {
      const identity = await renewWithoutLink({ stateDir: this.stateDir, mqttVersion: this.#mqttVersion });
      this.#promoted(identity);
      return identity;
    }
    const identity = await renewWith(this.stateDir, (candidate) => this.#link.replace(candidate));
    this.#promoted(identity);
    return identity;
  }

  #startAutoRenewal(): Promise<void> {
    return autoRenew({
      runtime: this.#runtime,
      signal: this.#closing.signal,
      load: () => loadIdentity(this.stateDir),
      renew: () => this.renew(),
      failed: (error, final, retryInMs) => this.emit("renewal-failed", { error, final, retryInMs }),
    });
  }

  #promoted(identity: Identity): void {
    this.#identity = identity;
    const { validTo, serialNumber } = identity.certificate;
    this.emit("renewed", { certExpiresAt: new Date(validTo), serialNumber: serialNumber.toLowerCase() });
  }

  #topic(identity: Identity, wanted: string | undefined): string {
    const topics = identity.device.publishTopics;
    const topic = wanted ?? topics[0];
    if (topic !== undefined && topics.includes(topic)) return topic;
    const what = wanted === undefined ? "on no topic" : `not on ${wanted}`;
    throw new AgentError("topic_not_authorised", `This device's certificate lets it publish ${what}.`);
  }

  #firstOutcome(retry: boolean): Promise<void> {
    const { promise, resolve, reject } = withResolvers<void>();
    const { signal } = this.#closing;
    const onUp = () => resolve();
    const onFailure = ({ error }: { error: AgentError }) => reject(error);
    const onClose = () => reject(closedError());
    this.once("connected", onUp);
    signal.addEventListener("abort", onClose, { once: true });
    if (!retry) this.once("refused", onFailure).once("unreachable", onFailure);
    return promise.finally(() => {
      this.off("connected", onUp).off("refused", onFailure).off("unreachable", onFailure);
      signal.removeEventListener("abort", onClose);
    });
  }
}

function toBytes(payload: Payload): Buffer {
  if (typeof payload === "string") return Buffer.from(payload);
  if (payload instanceof Uint8Array) return Buffer.from(payload);
  return Buffer.from(JSON.stringify(payload));
}

const closedError = () => new AgentError("closed", "The agent is closed.");
