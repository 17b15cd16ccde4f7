import { setTimeout as pause } from "node:timers/promises";
import type { KnownSession } from "../../../connections/connections.ts";
import { SECOND } from "../../../lib/clock.ts";
import { NatsClient } from "../../../lib/nats/nats-client.ts";
import { withTimeout } from "../../../lib/timeouts.ts";
import { Announcements } from "../announcements.ts";
import type { Bus, BusMessage, BusReceiver, SharedMessage } from "../bus.ts";
import { BUS_VERSION, encodeBye, encodeHello, encodePublish, encodeShared } from "../frame.ts";
import { RemoteState } from "../remote-state.ts";
import { Inbox } from "./inbox.ts";
import type { NatsBusDeps } from "./nats-bus-deps.ts";
import { NatsLink, WaitingBytes } from "./nats-link.ts";
import { Peer } from "./peer.ts";
import { subjectsOf, WITHOUT_NATS } from "./subjects.ts";

/** The longest that a start waits for other processes to answer, and then for their interest. */
const ANSWER_MS = 300;
const JOIN_MS = 2 * SECOND;
/** The number of ticks without a heartbeat after which a process is forgotten. */
const SILENT_TICKS = 10;
/** The longest that a stop waits for the other processes' acknowledgements. */
const STOP_MS = 2 * SECOND;

/**
 * Connects processes on any number of machines over NATS. Each has its own subject, on which it receives the interest
 * of every other process and the messages that match its own interest. Processes discover each other by a broadcast
 * once per tick.
 */
export class NatsBus implements Bus {
  readonly #deps: NatsBusDeps;
  readonly name: string;
  readonly #client: NatsClient;
  readonly #subjects = subjectsOf(BUS_VERSION);
  readonly #peers = new Map<string, Peer>();
  readonly #remote = new RemoteState<Peer>();
  readonly #announcements: Announcements;
  readonly #inbox: Inbox;
  readonly #total: WaitingBytes;
  /** Links with frames to flush. */
  readonly #pending = new Set<NatsLink>();
  #receiver: BusReceiver | undefined;
  #timer: NodeJS.Timeout | undefined;
  #epoch = 0;
  #isScheduled = false;
  #onIdle = () => {};

  constructor(deps: NatsBusDeps) {
    this.#deps = deps;
    this.name = deps.ids.bytes(4).toString("hex");
    this.#total = new WaitingBytes(deps.limits.natsBusBytes);
    this.#announcements = new Announcements({ peers: () => this.#peers.keys(), onPending: () => this.#schedule() });
    this.#inbox = new Inbox({
      ...deps,
      name: this.name,
      find: (name) => this.#peers.get(name),
      join: (name) => this.#join(name),
      remote: this.#remote,
      announcements: this.#announcements,
      receiver: () => this.#receiver!,
      answer: (name, ack) => this.#client.publish(this.#subjects.to(name), ack),
      onLost: (peer) => this.#restart(peer),
      onAcknowledged: () => this.#onIdle(),
    });
    this.#client = new NatsClient({ ...deps, ...WITHOUT_NATS, name: `muster ${this.name}`, ...this.#ofClient() });
  }

  /** Whether messages from this process reach others now. */
  get isConnected(): boolean {
    return this.#client.isConnected;
  }

  async start(receiver: BusReceiver): Promise<void> {
    this.#receiver = receiver;
    if (await this.#client.open()) {
      await pause(ANSWER_MS);
      const known = Promise.all([...this.#peers.values()].map((peer) => peer.isKnown));
      await withTimeout(known, JOIN_MS, () => []);
    }
    this.#timer = setInterval(() => this.#tick(), this.#deps.tickMs ?? SECOND).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.flush();
    const { promise: isIdle, resolve } = Promise.withResolvers<void>();
    this.#onIdle = () => {
      if ([...this.#peers.values()].every(({ link }) => link.isIdle)) resolve();
    };
    this.#onIdle();
    if (this.isConnected) await withTimeout(isIdle, STOP_MS, () => undefined);
    this.#inbox.close();
    this.#client.publish(this.#subjects.all, encodeBye(this.name));
    await this.#client.close();
    this.#announcements.close();
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.#pending.size === 0) return;
    for (const link of this.#pending) link.flush();
    this.#pending.clear();
    this.#client.flush();
  }

  interest(tenantId: string, filter: string, isOn: boolean): void {
    this.#announcements.change(tenantId, filter, isOn);
  }

  serve(ownerId: string): void {
    this.#announcements.serve(ownerId);
  }

  release(ownerId: string, session?: KnownSession): void {
    this.#announcements.release(ownerId, session);
  }

  flushed(ownerId: string): void {
    this.#announcements.flushed(ownerId);
  }

  serverOf(ownerId: string): string | undefined {
    return this.#remote.owners.serverOf(ownerId)?.name;
  }

  freed(ownerId: string): Promise<void> | undefined {
    return this.#remote.owners.freed(ownerId);
  }

  announced(): Promise<void> | undefined {
    this.flush();
    return this.#announcements.announced();
  }

  replace(sessionId: string): void {
    this.#client.publish(this.#subjects.replaced, Buffer.from(sessionId));
    this.#client.flush();
  }

  publish(message: BusMessage): boolean {
    const peers = this.#remote.interest.peersOf(message.tenantId, message.message.topic);
    if (!peers) return false;
    const frame = encodePublish(message, this.#deps.clock.monotonicMs());
    for (const peer of peers) {
      if (!this.#send(peer, frame, message.message.qos)) this.#receiver?.undelivered(message, peer.name);
    }
    return true;
  }

  groupsOf(tenantId: string, topic: string): ReadonlyMap<string, number> {
    return this.#remote.interest.groupsOf(tenantId, topic);
  }

  publishShared(message: SharedMessage): boolean {
    const next = () => this.#remote.interest.nextOf(message.tenantId, message.group);
    const first = next();
    if (!first) return false;
    let peer = first;
    // A process that is away receives the message only if no other process has members.
    while (peer.link.isAway) {
      peer = next()!;
      if (peer === first) break;
    }
    this.#send(peer, encodeShared(message, this.#deps.clock.monotonicMs()), message.message.qos);
    return true;
  }

  #ofClient() {
    const { all, to, away, replaced } = this.#subjects;
    return {
      subscriptions: new Map([
        [to(this.name), (data: Buffer) => this.#inbox.received(data)],
        [all, (data: Buffer) => this.#heard(data)],
        [replaced, (data: Buffer) => this.#receiver?.replaced(data.toString("latin1"))],
        [away(this.name, "*"), (_: Buffer, subject: string) => this.#isAway(subject.slice(away(this.name, "").length))],
      ]),
      onConnected: (isConnected: boolean) => this.#deps.metrics.busConnected.set({ bus: "nats" }, Number(isConnected)),
      onUp: () => {
        this.#beat();
        for (const { link } of this.#peers.values()) link.rewind();
      },
    };
  }

  /** @returns false if too many bytes wait for the other process */
  #send(peer: Peer, frame: Buffer, qos: number): boolean {
    const isSent = peer.link.message(frame, qos);
    if (!isSent) this.#deps.metrics.busDropped.inc({ qos: String(qos) });
    return isSent;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.flush());
  }

  #beat(): void {
    this.#client.publish(this.#subjects.all, encodeHello(this.name));
  }

  #tick(): void {
    this.#beat();
    for (const peer of this.#peers.values()) {
      if (++peer.silentTicks > SILENT_TICKS) this.#forget(peer);
      else if (peer.link.isBroken) this.#restart(peer);
      else peer.link.tick();
    }
  }

  /** Handles a broadcast. */
  #heard(data: Buffer): void {
    const said = this.#inbox.broadcast(data);
    if (!said) return;
    const known = this.#peers.get(said.name);
    if (said.type === "bye") {
      if (known) this.#forget(known);
      return;
    }
    const peer = known ?? this.#join(said.name);
    peer.silentTicks = 0;
    if (!peer.link.isAway) return;
    peer.link.isAway = false;
    peer.link.rewind();
  }

  #isAway(name: string): void {
    const peer = this.#peers.get(name);
    if (peer) peer.link.isAway = true;
  }

  #join(name: string): Peer {
    const peer = new Peer(name, this.#newLink(name));
    this.#peers.set(name, peer);
    this.#deps.metrics.busPeers.set(this.#peers.size);
    // The process may have received batches from here before it was forgotten: it must start over.
    this.#inbox.acknowledgeNothing(peer);
    this.#announcements.joined(name, peer.link);
    return peer;
  }

  #newLink(name: string): NatsLink {
    const { limits, metrics } = this.#deps;
    const [subject, away] = [this.#subjects.to(name), this.#subjects.away(this.name, name)];
    return new NatsLink({
      from: this.name,
      epoch: ++this.#epoch,
      maxBytes: limits.mqttBusBytes,
      total: this.#total,
      maxPayload: () => this.#client.maxPayload,
      send: (batch, messages) => {
        const isSent = this.#client.publish(subject, batch, away);
        if (isSent && messages > 0) metrics.busMessages.inc({ direction: "sent" }, messages);
        return isSent;
      },
      onPending: (link) => {
        this.#pending.add(link);
        this.#schedule();
      },
    });
  }

  /** Starts a new epoch with a process that has lost its state of this one. */
  #restart(peer: Peer): void {
    const old = peer.link;
    peer.link = this.#newLink(peer.name);
    this.#abandon(old, peer.name);
    this.#announcements.joined(peer.name, peer.link);
  }

  #forget(peer: Peer): void {
    this.#peers.delete(peer.name);
    this.#deps.metrics.busPeers.set(this.#peers.size);
    this.#remote.forget(peer);
    this.#announcements.left(peer.name, peer.link);
    this.#abandon(peer.link, peer.name);
    this.#onIdle();
  }

  /**
   * Handles the messages that a process has not acknowledged. Shared-subscription messages with a QoS above 0 go to
   * another member. The rest is counted as dropped, and stored for that process's stored sessions.
   */
  #abandon(link: NatsLink, name: string): void {
    this.#pending.delete(link);
    for (const frame of this.#inbox.messagesIn(link.end())) {
      const { qos } = frame.message;
      if (frame.type === "shared" && qos > 0) this.#receiver?.deliverShared(frame);
      else this.#deps.metrics.busDropped.inc({ qos: String(qos) });
      if (frame.type === "publish") this.#receiver?.undelivered(frame, name);
    }
  }
}
