import type { TLSSocket } from "node:tls";
import type { Aedes } from "aedes";
import type { DropTarget } from "../../../connections/connections.ts";
import { SECOND } from "../../../lib/clock.ts";
import { withTimeout } from "../../../lib/timeouts.ts";
import type { BrokerEngine, EngineOptions } from "../../engine.ts";
import { InboundBudget } from "../../inbound-budget.ts";
import { createListener, type Listener } from "../../listener.ts";
import type { Credential } from "../../policy/policy.ts";
import { SessionRegistry } from "../../session-registry.ts";
import { ClientSession } from "./client-session.ts";
import { createAedes } from "./create-aedes.ts";
import { keepOnlyIds, removeRetained } from "./persistence.ts";
import { recordEnd } from "./record-end.ts";

/** How long a stop waits for messages under way. */
const DRAIN_MS = 5_000;

/**
 * MQTT 3.1 and 3.1.1 by aedes, in this process. aedes parses, routes and acknowledges; which clients it serves and which messages
 * pass is decided around it: our listener accepts the sockets, our gate checks the packets, our registry knows the sessions, we
 * publish the wills. Subscriptions and retained messages are in memory, so a restart loses them. A session ends with its connection:
 * a client that asks for a persistent one is answered `session present = 0` and subscribes again.
 */
export function createAedesEngine(options: EngineOptions): BrokerEngine {
  return new AedesEngine(options);
}

class AedesEngine implements BrokerEngine {
  readonly #options: EngineOptions;
  readonly #registry = new SessionRegistry();
  /** Every connection since its TLS handshake, authenticated or not. */
  readonly #open = new Set<ClientSession>();
  readonly #aedes: Aedes;
  readonly #listener: Listener;
  #stopRefreshing = () => {};
  #stopping = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    const onAccepted = (session: ClientSession) =>
      this.#listener.authenticated(session.socket, () => {
        session.reason ??= "evicted";
      });
    const inbound = new InboundBudget(options.limits);
    this.#aedes = createAedes({ ...options, registry: this.#registry, inbound, onAccepted });
    this.#listener = createListener({ ...options, onPeer: (socket, credential) => this.#serve(socket, credential) });
  }

  async start(): Promise<{ port: number }> {
    await this.#aedes.listen();
    keepOnlyIds(this.#aedes);
    const port = await this.#listener.start();
    this.#stopRefreshing = this.#options.onTlsChange(this.#listener.refresh);
    return { port };
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopRefreshing();
    const closed = this.#listener.stop();
    const sessions = [...this.#open];
    for (const session of sessions) session.stream.stopReading();
    const idle = Promise.all(sessions.map((session) => session.acks.idle()));
    await withTimeout(idle, DRAIN_MS, () => []);
    // The acknowledgements are written at the end of this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([...this.#open].map((session) => session.endGracefully("server_stopped")));
    await closed;
    await new Promise<void>((resolve) => this.#aedes.close(() => resolve()));
  }

  healthy(): boolean {
    return this.#listener.listening();
  }

  drop(target: DropTarget, reason: string): Promise<void> {
    return this.#registry.drop(target, reason);
  }

  removeRetained(topics: readonly string[]): Promise<void> {
    return removeRetained(this.#aedes, topics);
  }

  /** Serves MQTT on a socket whose TLS handshake is done. */
  #serve(socket: TLSSocket, credential: Credential): void {
    const { policy, limits, clock, ids, logger } = this.#options;
    const unverified = credential.kind === "certificate" && !credential.verified;
    if (unverified) policy.recordUnverified(credential, socket.remoteAddress ?? "");
    if (unverified || this.#stopping || socket.destroyed) {
      socket.destroy();
      return;
    }
    const session = new ClientSession(ids.uuid(clock.now()), socket, credential, { limits, clock });
    this.#open.add(session);
    const late = setTimeout(() => {
      if (!session.accepted) void session.end("connect_timeout");
    }, limits.mqttConnectSeconds * SECOND).unref();
    session.stream.once("close", () => {
      clearTimeout(late);
      this.#open.delete(session);
      this.#registry.remove(session);
      recordEnd({ policy, logger, aedes: this.#aedes }, session);
      session.closeBudget();
    });
    this.#aedes.handle(session.stream);
  }
}
