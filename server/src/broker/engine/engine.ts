import type { Socket } from "node:net";
import type { DropTarget } from "../../connections/connections.ts";
import { SECOND } from "../../lib/clock.ts";
import { withTimeout } from "../../lib/timeouts.ts";
import type { BusReceiver } from "../bus/bus.ts";
import { ConnectGate } from "../connect-gate.ts";
import type { BrokerEngine, EngineOptions } from "../engine-interface.ts";
import { InboundBudget } from "../inbound-budget.ts";
import { createListener, type Listener, type ListenerOptions } from "../listener.ts";
import { OutgoingBudget } from "../outgoing-budget.ts";
import type { Credential, Principal } from "../policy/policy.ts";
import { Retained } from "../retained/retained.ts";
import { Router } from "../routing/router.ts";
import { SessionRegistry } from "../session-registry.ts";
import { EnqueueBatches } from "../sessions/enqueue-batches.ts";
import { PendingByOwner } from "../sessions/pending-by-owner.ts";
import { StoredRoutes } from "../sessions/stored-routes.ts";
import { TimerWheel } from "../timer-wheel.ts";
import { Turnstile } from "../turnstile.ts";
import { drain, endAtOnce } from "./drain.ts";
import { endSession } from "./end-session.ts";
import { handleFrame } from "./handle-frame.ts";
import { WillPublisher } from "./publish-wills.ts";
import { Session, type SessionDeps } from "./session.ts";
import { TurnWriter } from "./turn-writer.ts";

/** The longest that a drain waits until the sessions that outlive their connection are stored. */
const STORE_MS = 5_000;

/** Creates an engine for MQTT 3.1, 3.1.1 and 5 in this process. */
export function createEngine(options: EngineOptions): BrokerEngine {
  return new Engine(options, createListener);
}

/** Creates an engine over another transport; the product uses TLS only. */
export function createEngineOver(listen: (options: ListenerOptions) => Listener, options: EngineOptions): BrokerEngine {
  return new Engine(options, listen);
}

class Engine implements BrokerEngine {
  readonly #options: EngineOptions;
  readonly #deps: SessionDeps;
  readonly #listener: Listener;
  readonly #wills: WillPublisher;
  #stopRefreshing = () => {};
  #unlisten: () => Promise<void> = async () => {};
  #stopping = false;
  #drained: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: EngineOptions, listen: (options: ListenerOptions) => Listener) {
    this.#options = options;
    this.#listener = listen({ ...options, onPeer: (socket, credential) => this.#serve(socket, credential) });
    const wheel = new TimerWheel();
    const batches = new EnqueueBatches(options);
    const outgoing = new OutgoingBudget(options.limits, wheel);
    const persistence = { ...options, batches, routes: new StoredRoutes({ ...options, batches }) };
    this.#deps = {
      ...options,
      leaseTerm: options.leaseTerm ?? (() => 0),
      persistence,
      handlers: { handleFrame, endSession },
      sessions: new Set(),
      registry: new SessionRegistry(),
      inbound: new InboundBudget(options.limits, options.clock),
      outgoing,
      gate: new ConnectGate(options, outgoing),
      connecting: new Turnstile(options.limits.mqttConnecting),
      router: new Router(options.bus),
      retained: new Retained(options),
      wills: new PendingByOwner(),
      replaceElsewhere: (sessionId) => options.bus?.replace?.(sessionId),
      publishEarlierWills: (...of) => this.#wills.publishEarlier(...of),
      turns: new TurnWriter(options.bus),
      wheel,
      listener: this.#listener,
    };
    this.#wills = new WillPublisher(this.#deps);
  }

  async start(): Promise<{ port: number }> {
    await this.#followStored();
    await this.#options.bus?.start(this.#receiver());
    await this.#deps.retained.start();
    this.#wills.start();
    const port = await this.#listener.start();
    this.#deps.wheel.start();
    this.#stopRefreshing = this.#options.onTlsChange(this.#listener.refresh);
    return { port };
  }

  /** Returns the handlers for messages from other processes. */
  #receiver(): BusReceiver {
    const { router, retained, persistence, registry } = this.#deps;
    return {
      deliver(published) {
        retained.arrived(published);
        persistence.routes.arrived(published);
        router.deliver(published);
      },
      deliverShared(published) {
        retained.arrived(published);
        router.deliverShared(published);
      },
      undelivered: (published, name) => persistence.routes.undelivered(published, name),
      released: (session, flushed) => persistence.routes.released(session, flushed),
      replaced: (sessionId) => void registry.replace(sessionId),
    };
  }

  /** Follows the stored sessions of all processes. */
  async #followStored(): Promise<void> {
    const { routes, logger } = this.#deps.persistence;
    const { stored } = this.#options;
    const unlisten = [
      await stored.onAdded((ownerId) => routes.added(ownerId)),
      await stored.onChange((ownerId) => {
        const work = ownerId === "" ? routes.load() : routes.refresh(ownerId);
        work.catch((error: Error) => logger.warn({ err: error.message }, "could not read a stored session"));
      }),
    ];
    this.#unlisten = async () => void (await Promise.all(unlisten.map((each) => each())));
    await routes.load();
  }

  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  endSessions(reason: string): void {
    endAtOnce({ ...this.#options, sessions: this.#deps.sessions }, reason);
  }

  get drainSeconds(): number {
    return Math.ceil(this.#deps.sessions.size / this.#options.limits.mqttDrainedPerSecond);
  }

  async stop(): Promise<void> {
    await this.drain();
    await this.#flushBus();
    await this.#wills.stop();
    await this.#deps.retained.stop();
    await this.#unlisten();
    await this.#closed;
    this.#deps.wheel.stop();
  }

  /**
   * Waits until everything that other processes sent for stored sessions here, before they knew of the sessions' end,
   * is stored.
   */
  async #flushBus(): Promise<void> {
    const { bus } = this.#options;
    if (!bus) return;
    await bus.announced();
    await withTimeout(this.#deps.persistence.batches.idle(), STORE_MS, () => undefined);
    await bus.stop();
  }

  async #drain(): Promise<void> {
    this.#stopping = true;
    this.#stopRefreshing();
    this.#closed = this.#listener.stop();
    await drain({ ...this.#options, sessions: this.#deps.sessions });
    await withTimeout(this.#deps.wills.idle(), STORE_MS, () => undefined);
    await withTimeout(this.#deps.persistence.batches.idle(), STORE_MS, () => undefined);
  }

  healthy(): boolean {
    return this.#listener.listening();
  }

  drop(target: DropTarget, reason: string): Promise<Principal[]> {
    return this.#deps.registry.drop(target, reason);
  }

  recheckRetained(ownerId: string): void {
    this.#deps.retained.recheck(ownerId);
  }

  deliverCommands(deviceUid: string): void {
    this.#deps.registry.deliverCommands(deviceUid);
  }

  /** Serves MQTT on a socket whose TLS handshake is complete. */
  #serve(socket: Socket, credential: Credential): void {
    const { policy, limits, clock, ids } = this.#options;
    const unverified = credential.kind === "certificate" && !credential.verified;
    if (unverified) policy.recordUnverified(credential, socket.remoteAddress ?? "");
    if (unverified || this.#stopping || socket.destroyed) {
      socket.destroy();
      return;
    }
    const session = new Session(this.#deps, ids.uuid(clock.now()), socket, credential);
    this.#deps.sessions.add(session);
    this.#deps.wheel.set(session, limits.mqttConnectSeconds * SECOND);
    attach(socket, session);
  }
}

const SESSION = Symbol("session");

type SessionSocket = Socket & { [SESSION]: Session };

/** Connects a socket to its session. All sockets share the listeners, so a session needs no closures of its own. */
function attach(socket: Socket, session: Session): void {
  (socket as SessionSocket)[SESSION] = session;
  socket.on("data", onData);
  socket.on("error", ignore);
  socket.on("end", onEnd);
  socket.on("close", onEnd);
}

function onData(this: SessionSocket, chunk: Buffer): void {
  this[SESSION].inbound.feed(chunk);
}

function onEnd(this: SessionSocket): void {
  this[SESSION].onSocketEnd();
}

/** Ignores the error: a failed socket also closes, which is handled. */
function ignore(): void {}
