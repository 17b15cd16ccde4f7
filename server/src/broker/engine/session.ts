import type { Socket } from "node:net";
import { withTimeout } from "../../lib/timeouts.ts";
import type { Frame } from "../codec/cursor.ts";
import type { PacketProblem } from "../codec/problem.ts";
import type { Properties } from "../codec/property-table.ts";
import type { Will } from "../codec/read-connect.ts";
import { LastTopic } from "../codec/read-publish.ts";
import { writeConnack } from "../codec/writers.ts";
import { CommandDelivery } from "../commands/command-delivery.ts";
import { connackCode, disconnectCode, endingOf, type ProtocolVersion } from "../policy/answers.ts";
import { type Credential, ownerOf, type Principal } from "../policy/policy.ts";
import type { RetainedSubscriber } from "../retained/recent-subscriptions.ts";
import { type Delivery, type Message, NO_IDS, type OnSettled } from "../routing/message.ts";
import type { SessionBudget } from "../session-budget.ts";
import type { RegisteredSession } from "../session-registry.ts";
import type { Persistence } from "../sessions/persistence.ts";
import { TICK_MS, type Timed } from "../timer-wheel.ts";
import type { InOrder, OrderedOwner } from "./in-order.ts";
import { Inbound, type InboundOwner } from "./inbound.ts";
import type { Incoming } from "./incoming.ts";
import type { IncomingAliases } from "./incoming-aliases.ts";
import type { IncomingIds } from "./incoming-ids.ts";
import type { MinuteCount } from "./minute-count.ts";
import { Outbound, type OutboundOwner } from "./outgoing/outbound.ts";
import type { EngineParts } from "./parts.ts";

/** What becomes of what happens to a session. */
export interface SessionHandlers {
  /** Throws {@link PacketProblem}. */
  handleFrame(session: Session, frame: Frame, bytes: number): void;
  /** Stores a message; it is durable when this resolves. */
  storeIncoming(session: Session, incoming: Incoming): Promise<void>;
  isComplete(session: Session, incoming: Incoming): boolean;
  settleIncoming(session: Session, incoming: Incoming, isStored: boolean): void;
  /** The session has closed. */
  endSession(session: Session, reason: string): void;
}

export interface SessionDeps extends EngineParts {
  handlers: SessionHandlers;
  /** Every session that is not closed. */
  sessions: Set<Session>;
}

/** How long closing a session waits until its last messages are stored. */
const SETTLE_MS = 2_000;
/** How long the packets of a client that has closed its side are still handled, and how long the last packet to it may take. */
const LINGER_MS = 5_000;
const FLUSH_MS = 2_000;

/**
 * One connection, from its TLS handshake to its end. It is closed once, for one reason, which decides about its will and its record; what
 * it sent before may be stored afterwards.
 */
export class Session
  implements RegisteredSession, InboundOwner, OutboundOwner, OrderedOwner<Incoming>, RetainedSubscriber, Timed
{
  readonly deps: SessionDeps;
  readonly sessionId: string;
  readonly socket: Socket;
  /** What the client presented in the TLS handshake. */
  readonly presented: Credential;
  readonly remoteAddress: string;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  readonly lastTopic = new LastTopic();
  version: ProtocolVersion = 4;
  clientId = "";
  /** 0 is none. */
  maxSilenceMs = 0;
  will: Will | undefined;
  /** Its will is stored, for the case that this process ends without a word. */
  hasStoredWill = false;
  /** The client asked for its will with its DISCONNECT (MQTT 5). */
  isWillAsked = false;
  /** What a client of MQTT 5 is to know (its CONNACK). */
  announced: Properties | undefined;
  /** Messages of QoS 1 that are not acknowledged. */
  openQos1 = 0;
  denied: MinuteCount | undefined;
  principal: Principal | undefined;
  /** The database lists it as open, so its end must be recorded. */
  recorded = false;
  /** Its CONNECT was accepted. */
  accepted = false;
  isClosed = false;
  /** Why it is refused or has ended. */
  reason: string | undefined;
  /** Of an accepted one: its messages that are not settled. */
  budget: SessionBudget | undefined;
  inOrder: InOrder<Incoming> | undefined;
  incomingIds: IncomingIds | undefined;
  aliases: IncomingAliases | undefined;
  filters: Set<string> | undefined;
  /** What the CONNECT asks for; an expiry of 0 seconds is no stored session. */
  wanted = { clean: true, expirySeconds: 0 };
  /** The client had a stored session when it connected. */
  hasStored = false;
  /** A will without a delay of an earlier connection was stored when it connected. */
  hasEarlierWill = false;
  /** Resolves when replaced sessions at other processes have ended and are stored, or have not in time. */
  predecessor: Promise<unknown> | undefined;
  /** Of a session that outlives its connection. */
  persistence: Persistence | undefined;
  #parted: Promise<void> | undefined;
  /** Once commands have waited for its device. */
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
   * The lease in which it began lasts. A process that stood still for longer finds what the client had sent before the timer ends its sessions: the client
   * may have sent it again elsewhere.
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

  /** A forbidden CONNECT is answered if MQTT has a code for it; later MQTT 3.1.1 has none [MQTT-4.8.0-1], and MQTT 5 a DISCONNECT. */
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

  /** The client has closed its side, or the connection is lost. */
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

  /** A client that reads and does not acknowledge learns why. What waits in the socket of one that does not read is freed at once. */
  onBacklog(): void {
    if (this.isClosed) return;
    if (!this.outbound.isRead) this.socket.destroy();
    this.close("slow_consumer");
  }

  store(incoming: Incoming): Promise<void> {
    return this.deps.handlers.storeIncoming(this, incoming);
  }

  isComplete(incoming: Incoming): boolean {
    return this.deps.handlers.isComplete(this, incoming);
  }

  settled(incoming: Incoming, isStored: boolean): void {
    this.deps.handlers.settleIncoming(this, incoming, isStored);
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

  sendTracked(message: Message, settled: OnSettled): void {
    this.outbound.publish({ message, qos: 1, retain: false, subscriptionIds: NO_IDS, onSettled: settled });
  }

  /** Stores what is to outlast the connection, once. @param isWillDue whether its will is to be published */
  partStored(isWillDue = false): void {
    this.#parted ??= this.persistence?.part(this.incomingIds?.open ?? [], this.outbound.unsettled(), isWillDue);
  }

  /** Ends it when its client is silent for too long. */
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

  /** Closes the session at once, and the connection as soon as a client of MQTT 5 has its DISCONNECT. */
  async end(reason: string): Promise<void> {
    if (this.version < 5 || !this.accepted) this.socket.destroy();
    this.close(reason);
    await withTimeout(this.inOrder?.idle() ?? Promise.resolve(), SETTLE_MS, () => undefined);
    if (this.#parted) await withTimeout(this.#parted, SETTLE_MS, () => undefined);
    const will = this.principal && this.deps.wills.of(ownerOf(this.principal));
    if (will) await withTimeout(will, SETTLE_MS, () => undefined);
  }

  /**
   * Closes the session now, and the connection when what was written last is sent. The first reason counts.
   *
   * @param code of the DISCONNECT of MQTT 5, where it is not that of the reason; null for none
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
    // The last packet, such as the CONNACK of a refusal, should arrive; a client that does not read must not keep the socket.
    deps.wheel.set(this, FLUSH_MS);
    socket.resume();
    socket.destroySoon();
  }

  /** While we do not read the client, its silence is ours. */
  #checkKeepAlive(): void {
    const { wheel } = this.deps;
    if (this.inbound.isPaused) this.#lastPacketTick = wheel.now;
    const left = this.maxSilenceMs - (wheel.now - this.#lastPacketTick) * TICK_MS;
    if (left > 0) wheel.set(this, left);
    else this.close("keepalive_timeout");
  }
}
