import type { Socket } from "node:net";
import { withTimeout } from "../../lib/timeouts.ts";
import type { Frame } from "../codec/cursor.ts";
import type { PacketProblem } from "../codec/problem.ts";
import type { Properties } from "../codec/property-table.ts";
import type { Will } from "../codec/read-connect.ts";
import { LastTopic } from "../codec/read-publish.ts";
import { writeConnack } from "../codec/writers.ts";
import { CommandDelivery } from "../commands/command-delivery.ts";
import { type Delivery, type Message, NO_IDS, type OnFinished } from "../message.ts";
import { connackCode, disconnectCode, endingOf, type ProtocolVersion } from "../policy/answers.ts";
import { type Credential, ownerOf, type Principal } from "../policy/policy.ts";
import type { RetainedSubscriber } from "../retained/recent-subscriptions.ts";
import type { SessionBudget } from "../session-budget.ts";
import type { RegisteredSession } from "../session-registry.ts";
import type { Persistence } from "../sessions/persistence.ts";
import { TICK_MS, type Timed } from "../timer-wheel.ts";
import type { InOrder } from "./in-order.ts";
import { Inbound, type InboundOwner } from "./incoming/inbound.ts";
import type { Incoming } from "./incoming/incoming.ts";
import type { IncomingAliases } from "./incoming/incoming-aliases.ts";
import type { IncomingIds } from "./incoming/incoming-ids.ts";
import type { MinuteCount } from "./incoming/minute-count.ts";
import { Outbound, type OutboundOwner } from "./outgoing/outbound.ts";
import type { EngineParts } from "./parts.ts";

/** The handlers for a session's events. */
export interface SessionHandlers {
  /** @throws {PacketProblem} */
  handleFrame(session: Session, frame: Frame, bytes: number): void;
  /** Handles the session's close. */
  endSession(session: Session, reason: string): void;
}

export interface SessionDeps extends EngineParts {
  handlers: SessionHandlers;
  /** Every session that is not closed. */
  sessions: Set<Session>;
}

/** The longest that closing a session waits until its last messages are stored. */
const FINISH_MS = 2_000;
/** The longest that a client that has closed its side is still served, and that the last packet to it may take. */
const LINGER_MS = 5_000;
const FLUSH_MS = 2_000;

/**
 * One connection, from its TLS handshake to its end. It is closed once, for one reason, which determines its will and
 * its record. Messages that it sent before may be stored afterwards.
 */
export class Session implements RegisteredSession, InboundOwner, OutboundOwner, RetainedSubscriber, Timed {
  readonly deps: SessionDeps;
  readonly sessionId: string;
  readonly socket: Socket;
  /** The credential presented in the TLS handshake. */
  readonly presented: Credential;
  readonly remoteAddress: string;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  readonly lastTopic = new LastTopic();
  version: ProtocolVersion = 4;
  clientId = "";
  /** 0 turns the keep alive off. */
  maxSilenceMs = 0;
  will: Will | undefined;
  /** Whether its will is stored in case this process crashes. */
  hasStoredWill = false;
  /** Whether the client asked for its will in its DISCONNECT (MQTT 5). */
  isWillAsked = false;
  /** The properties of an MQTT 5 client's CONNACK. */
  announced: Properties | undefined;
  /** The number of unacknowledged QoS 1 messages. */
  openQos1 = 0;
  denied: MinuteCount | undefined;
  principal: Principal | undefined;
  /** Whether the database lists it as open, so its end must be recorded. */
  recorded = false;
  /** Whether its CONNECT was accepted. */
  accepted = false;
  isClosed = false;
  /** The reason for its refusal or end. */
  reason: string | undefined;
  /** The budget of an accepted session's unsettled messages. */
  budget: SessionBudget | undefined;
  inOrder: InOrder<Incoming> | undefined;
  incomingIds: IncomingIds | undefined;
  aliases: IncomingAliases | undefined;
  filters: Set<string> | undefined;
  /** The session that the CONNECT asks for; an expiry of 0 seconds means it is not stored. */
  wanted = { clean: true, expirySeconds: 0 };
  /** Whether the client had a stored session when it connected. */
  hasStored = false;
  /** Whether an undelayed will of an earlier connection was stored when it connected. */
  hasEarlierWill = false;
  /** Resolves when replaced sessions in other processes have ended and are stored, or have failed to in time. */
  predecessor: Promise<unknown> | undefined;
  /** Set if the session outlives its connection. */
  persistence: Persistence | undefined;
  #parted: Promise<void> | undefined;
  /** Set once there have been commands for its device. */
  commands: CommandDelivery | undefined;
  dueTick = 0;
  #lastPacketTick = 0;
  #isLingering = false;
  readonly #leaseTerm: number | undefined;

  constructor(deps: SessionDeps, sessionId: string, socket: Socket, presented: Credential) {
    this.deps = deps;
    this.#leaseTerm = deps.leaseTerm();
    this.sessionId = sessionId;
    this.socket = socket;
    this.presented = presented;
    this.remoteAddress = socket.remoteAddress ?? "";
    this.inbound = new Inbound(socket, this, deps);
    this.outbound = new Outbound(socket, this, deps);
  }

  /**
   * Whether the lease in which the session began still lasts. A process that was suspended for longer handles pending
   * input before the timer ends its sessions, but the client may have sent the same messages elsewhere.
   */
  get mayStore(): boolean {
    return this.deps.leaseTerm() === this.#leaseTerm;
  }

  mayBeRead(): boolean {
    if (this.mayStore) return true;
    if (!this.isClosed) void this.end("node_lost");
    return false;
  }

  onFrame(frame: Frame, bytes: number): void {
    this.#lastPacketTick = this.deps.wheel.now;
    this.deps.handlers.handleFrame(this, frame, bytes);
  }

  /** Closes the session, answering if MQTT has a code: a CONNACK, later a DISCONNECT (MQTT 5 only [MQTT-4.8.0-1]). */
  onProblem({ problem }: PacketProblem): void {
    if (this.accepted) {
      this.close("protocol_error", disconnectCode(problem, this.version));
      return;
    }
    const code = connackCode(problem, this.version);
    const version = problem === "unknown_version" ? 5 : this.version;
    if (code !== undefined) this.outbound.packet(writeConnack(code, version));
    this.close("protocol_error");
  }

  onFailure(error: Error): void {
    this.deps.logger.error({ err: error }, "handling an MQTT packet failed");
    this.close("protocol_error");
  }

  /** Handles a lost connection, or one whose client has closed its side. */
  onSocketEnd(): void {
    if (this.isClosed && this.socket.destroyed) this.deps.wheel.clear(this);
    if (this.isClosed || this.#isLingering) return;
    if (!this.accepted) {
      this.close("connection_lost");
      return;
    }
    this.#isLingering = true;
    this.deps.wheel.set(this, LINGER_MS);
    this.inbound.end();
  }

  onInputEnd(): void {
    this.close("connection_lost");
  }

  /** Ends a session that is too far behind. A client that reads learns why; else the socket is freed immediately. */
  onBacklog(): void {
    if (this.isClosed) return;
    if (!this.outbound.isRead) this.socket.destroy();
    this.close("slow_consumer");
  }

  deliver(delivery: Delivery): void {
    if (this.isClosed || !this.mayReceive(delivery.message.topic) || this.persistence?.defers(delivery)) return;
    this.outbound.publish(delivery);
  }

  mayReceive(topic: string): boolean {
    return this.deps.policy.mayReceive(this.principal!, topic);
  }

  isSubscribedTo(filter: string): boolean {
    return !this.isClosed && this.filters?.has(filter) === true;
  }

  get isStored(): boolean {
    return this.persistence !== undefined;
  }

  get isReady(): boolean {
    return !this.isClosed && this.outbound.isReady;
  }

  get waitingBytes(): number {
    return this.isClosed ? 0 : this.outbound.waitingBytes;
  }

  onWaiting(): void {
    if (!this.accepted) return;
    this.deps.outgoing.count(this.principal!.tenantId, this);
  }

  deliverCommands(): void {
    this.commands ??= new CommandDelivery(this);
    this.commands.deliver();
  }

  acknowledgedTopics(): string[] {
    const { router } = this.deps;
    return [...(this.filters ?? [])].filter((topic) => router.qosOf(this, topic) > 0);
  }

  sendTracked(message: Message, finished: OnFinished): void {
    this.outbound.publish({ message, qos: 1, retain: false, subscriptionIds: NO_IDS, onFinished: finished });
  }

  /** Stores, once, the state that outlasts the connection. @param isWillDue whether its will is to be published */
  partStored(isWillDue = false): void {
    this.#parted ??= this.persistence?.part(this.incomingIds?.open ?? [], this.outbound.unacknowledged(), isWillDue);
  }

  /** Ends the session if its client is silent for too long. */
  awaitKeepAlive(): void {
    if (this.maxSilenceMs > 0) this.deps.wheel.set(this, this.maxSilenceMs);
    else this.deps.wheel.clear(this);
  }

  onDue(): void {
    if (this.isClosed) this.socket.destroy();
    else if (!this.accepted) void this.end("connect_timeout");
    else if (this.#isLingering) this.close("connection_lost");
    else this.#checkKeepAlive();
  }

  /** Closes the session now, and the connection as soon as an MQTT 5 client has its DISCONNECT. */
  async end(reason: string): Promise<void> {
    if (this.version < 5 || !this.accepted) this.socket.destroy();
    this.close(reason);
    await withTimeout(this.inOrder?.idle() ?? Promise.resolve(), FINISH_MS, () => undefined);
    if (this.#parted) await withTimeout(this.#parted, FINISH_MS, () => undefined);
    const will = this.principal && this.deps.wills.of(ownerOf(this.principal));
    if (will) await withTimeout(will, FINISH_MS, () => undefined);
  }

  /**
   * Closes the session now, and the connection once its last bytes are sent. Only the first reason counts.
   *
   * @param code of the MQTT 5 DISCONNECT, if not the reason's own; null for none
   */
  close(reason: string, code: number | null = endingOf(reason).v5 ?? null, properties?: Properties): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.accepted && this.version === 5 && code !== null) this.outbound.disconnect(code, properties);
    this.inbound.close();
    this.reason ??= reason;
    this.deps.handlers.endSession(this, this.reason);
    const { socket, deps } = this;
    this.outbound.flush();
    deps.wheel.clear(this);
    if (socket.destroyed) return;
    // The last packet, such as a refusing CONNACK, should arrive, but only a client that reads may delay the close.
    deps.wheel.set(this, FLUSH_MS);
    socket.resume();
    socket.destroySoon();
  }

  /** Ends the session if its client was silent for too long, not counting the time when we did not read it. */
  #checkKeepAlive(): void {
    const { wheel } = this.deps;
    if (this.inbound.isPaused) this.#lastPacketTick = wheel.now;
    const left = this.maxSilenceMs - (wheel.now - this.#lastPacketTick) * TICK_MS;
    if (left > 0) wheel.set(this, left);
    else this.close("keepalive_timeout");
  }
}
