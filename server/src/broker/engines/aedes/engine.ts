import { Aedes, type Client, type PublishPacket } from "aedes";
import type { Clock } from "../../../lib/clock.ts";
import type { Ids } from "../../../lib/ids.ts";
import type { Logger } from "../../../lib/logger.ts";
import { withTimeout } from "../../../lib/timeouts.ts";
import type { BrokerEngine } from "../../engine.ts";
import type { BrokerLimits } from "../../limits.ts";
import { createListener, type ListenerTls } from "../../listener.ts";
import type { Answer, BrokerPolicy, Credential } from "../../policy.ts";
import { RateLimit } from "../../rate-limit.ts";
import { SessionRegistry } from "../../sessions.ts";
import { admitClient } from "./admit-client.ts";
import { ClientSession } from "./client-session.ts";
import { GatedStream } from "./gated-stream.ts";
import { takePublish } from "./take-publish.ts";

export interface AedesEngineOptions {
  host: string;
  port: number;
  tls(): ListenerTls;
  /** Calls back when `tls()` has changed; returns how to stop. */
  onTlsChange(listener: () => void): () => void;
  limits: BrokerLimits;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

const RETURN_CODES: Record<Answer, 2 | 3 | 4 | 5> = {
  identifier_rejected: 2,
  server_unavailable: 3,
  bad_credentials: 4,
  not_authorized: 5,
};

/** How long a stop waits for messages under way. */
const DRAIN_MS = 5_000;

/**
 * MQTT 3.1.1 by aedes, in this process. aedes parses, routes and acknowledges; whom it serves and what passes is decided
 * around it: sockets come through our listener and gate, sessions are in our registry, wills are ours. What it remembers
 * (subscriptions, retained messages) is in memory and lost at a restart; sessions end with their connection, so a client
 * that asks for a persistent one is told `session present = 0` and subscribes again.
 */
export function createAedesEngine(options: AedesEngineOptions): BrokerEngine {
  const { limits, clock, ids, logger } = options;
  const registry = new SessionRegistry();
  const sessions = new Set<ClientSession>();
  let policy: BrokerPolicy;
  let stopRefreshing = () => {};
  let stopping = false;

  const aedes = new Aedes({
    id: "muster",
    connectTimeout: limits.connectMs,
    maxClientsIdLength: 64,
    drainTimeout: 0,
    preConnect: (client, packet, done) => {
      const session = sessionOf(client);
      session.clientId = packet.clientId;
      // The will is published by us, under the same rules as any message, and never from aedes' own books.
      if (packet.will)
        session.will = { ...packet.will, payload: Buffer.from(packet.will.payload) } as ClientSession["will"];
      delete packet.will;
      packet.clean = true;
      done(null, true);
    },
    authenticate: (client, username, password, done) => {
      const session = sessionOf(client);
      const credential = chosenCredential(session.credential, username, password);
      admitClient({ registry, policy }, session, credential).then(
        (refusal) => {
          if (refusal === undefined) return done(null, true);
          session.reason ??= refusal;
          done(Object.assign(new Error(refusal), { returnCode: RETURN_CODES[refusal] }) as never, null);
        },
        (error: Error) => {
          logger.error({ err: error }, "a CONNECT could not be judged");
          done(Object.assign(new Error("unforeseen"), { returnCode: 3 }) as never, null);
        },
      );
    },
    authorizePublish: (client, packet, done) => {
      if (client === null) return done(new Error("a publish of nobody"));
      takePublish(policy, aedes, sessionOf(client), packet, done);
    },
    authorizeSubscribe: (client, subscription, done) => {
      const { principal } = sessionOf(client);
      done(null, principal && policy.maySubscribe(principal, subscription.topic) ? subscription : null);
    },
    authorizeForward: (client, packet) => {
      const { principal } = sessionOf(client);
      return principal && policy.mayReceive(principal, packet.topic) ? packet : null;
    },
  });
  aedes.on("clientReady", (client) => {
    const session = sessionOf(client);
    session.accepted = true;
    listener.authenticated(session.socket);
    session.stream.accept();
  });
  aedes.on("keepaliveTimeout", (client) => {
    sessionOf(client).reason ??= "keepalive_timeout";
  });
  aedes.on("clientError", () => undefined);
  aedes.on("connectionError", () => undefined);
  (aedes as NodeJS.EventEmitter).on("error", (error: Error) => logger.error({ err: error }, "the MQTT engine failed"));

  const listener = createListener({
    ...options,
    onPeer(socket, credential) {
      const remoteAddress = socket.remoteAddress ?? "";
      if (credential.kind === "certificate" && !credential.verified) {
        policy.unverified(credential, remoteAddress);
        socket.destroy();
        return;
      }
      if (stopping || socket.destroyed) {
        socket.destroy();
        return;
      }
      const stream = new GatedStream(socket, {
        limits,
        rate: new RateLimit(limits, clock),
        onProblem: (reason) => {
          session.reason ??= reason;
        },
      });
      const session = new ClientSession(ids.uuid(clock.now()), stream, credential);
      sessions.add(session);
      const late = setTimeout(() => {
        if (!session.accepted) void session.end("connect_timeout");
      }, limits.connectMs).unref();
      stream.once("close", () => {
        clearTimeout(late);
        ended(session);
      });
      stream.on("error", () => undefined);
      Object.assign(stream, { session });
      aedes.handle(stream);
    },
  });

  function ended(session: ClientSession): void {
    sessions.delete(session);
    registry.remove(session);
    session.over = true;
    session.inOrder.abandon();
    const { principal, will } = session;
    if (principal === undefined || !session.up) return;
    const reason = session.reason ?? (session.stream.disconnected ? "disconnected" : "connection_lost");
    policy.sessionDown(principal, session.sessionId, reason);
    if (will && session.accepted && !session.stream.disconnected && !session.willVoid) {
      if (!policy.mayPublish(principal, will.topic)) return;
      policy
        .message(principal, will.topic, will.payload)
        .then(() => publish(will.topic, will.payload, will))
        .catch((error: Error) => logger.warn({ err: error.message }, "a will could not be stored"));
    }
  }

  function publish(topic: string, payload: Buffer, how: { qos: 0 | 1 | 2; retain: boolean }): Promise<void> {
    return new Promise((resolve, reject) => {
      const packet = { cmd: "publish", topic, payload, qos: how.qos, retain: how.retain, dup: false } as PublishPacket;
      aedes.publish(packet, (error) => (error ? reject(error) : resolve()));
    });
  }

  return {
    capabilities: { mqtt5: false, qos2: true, tlsAlert: false, cluster: false, deniedPublish: "disconnect" },
    async start(given) {
      policy = given;
      await aedes.listen();
      const port = await listener.start();
      stopRefreshing = options.onTlsChange(listener.refresh);
      return { port };
    },
    async stop() {
      stopping = true;
      stopRefreshing();
      const closed = listener.stop();
      for (const session of sessions) session.stream.rest();
      const idle = Promise.all([...sessions].map((session) => session.inOrder.idle()));
      await withTimeout(idle, DRAIN_MS, () => []);
      // The acknowledgements are written at the end of this turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([...sessions].map((session) => session.endPolitely("server_stopped")));
      await closed;
      await new Promise<void>((resolve) => aedes.close(() => resolve()));
    },
    healthy: () => listener.listening(),
    drop: (target, reason) => registry.drop(target, reason),
    sessionOf: (clientId) => registry.of(clientId)?.sessionId,
    sessions: () => registry.size,
    publish,
  };
}

function sessionOf(client: Client): ClientSession {
  return (client.conn as unknown as { session: ClientSession }).session;
}

/** A certificate that was shown decides alone; only a peer without one is asked for a password. */
function chosenCredential(shown: Credential, username: string | undefined, password: Buffer | undefined): Credential {
  if (shown.kind === "certificate") return shown;
  if (username === undefined || password === undefined) return { kind: "none" };
  return { kind: "password", username, password: password.toString("utf8") };
}
