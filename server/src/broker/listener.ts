import type { AddressInfo, Socket } from "node:net";
import { createServer, type SecureContextOptions, type TLSSocket } from "node:tls";
import type { AddressRange } from "../lib/address.ts";
import { type Clock, SECOND } from "../lib/clock.ts";
import { UnauthenticatedBudget } from "../lib/limits/unauthenticated-budget.ts";
import type { Logger } from "../lib/logger.ts";
import type { OnCapReached } from "../lib/sockets/cap-reports.ts";
import { takeHandshakesInTurns } from "../lib/sockets/handshake-turns.ts";
import { type ClientIssuers, mutualTls } from "../lib/sockets/mutual-tls.ts";
import { readProxyHeaders } from "../lib/sockets/proxy-protocol.ts";
import { UnauthenticatedConnections } from "../lib/sockets/unauthenticated-connections.ts";
import { type ConnectionLimits, capConnections } from "./connection-caps.ts";
import type { BrokerLimits } from "./limits.ts";
import type { Credential } from "./policy/policy.ts";

/** The server's certificate chain and key, and the issuers of client certificates; PEM. */
export interface ListenerTls extends ClientIssuers {
  cert: string;
  key: string;
}

export interface ListenerOptions {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Whether other processes listen on the same port. */
  sharesPort?: boolean | undefined;
  tls(): ListenerTls;
  limits: ConnectionLimits &
    Pick<BrokerLimits, "mqttHandshakeSeconds" | "mqttFailedConnections" | "mqttFailedConnectionsPerSecond">;
  /** Load balancers that announce the client's address in a header before the TLS handshake. */
  proxyProtocolFrom?: readonly AddressRange[];
  /** Addresses shared by many clients; the per-address cap does not apply to them. */
  proxies: readonly AddressRange[];
  onCapReached: OnCapReached;
  clock: Pick<Clock, "monotonicMs">;
  logger: Logger;
  /**
   * Called when a client's TLS handshake is complete. The client counts as unauthenticated until `authenticated` is
   * called.
   */
  onPeer(socket: Socket, credential: Credential): void;
}

export interface Listener {
  start(): Promise<number>;
  /** Uses the current `tls()` for new connections; open connections are unaffected. */
  refresh(): void;
  /** Counts a client as a session from now on. `onEvicted` is called before it is closed to make room for others. */
  authenticated(socket: Socket, onEvicted: () => void): void;
  listening(): boolean;
  /** Stops accepting connections and closes the unauthenticated ones. */
  stop(): Promise<void>;
}

const KEEPALIVE_MS = 60_000;

/**
 * Creates the TLS listener for MQTT. A client certificate is requested but not required, because password clients share
 * the port; the credential says whether it was verified. TLS sessions are never resumed: Node does not verify the
 * certificate of a resumed session again.
 */
export function createListener(options: ListenerOptions): Listener {
  const { host, port, sharesPort, limits, logger } = options;
  const { mqttFailedConnections: burst, mqttFailedConnectionsPerSecond: refillPerSecond } = limits;
  const budget = new UnauthenticatedBudget({ burst, refillPerSecond }, options.clock);
  const charged = new UnauthenticatedConnections(budget, options.proxies);
  const connections = capConnections({ ...options, budget: charged });
  const server = createServer({
    ...contextOptions(options.tls()),
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: limits.mqttHandshakeSeconds * SECOND,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEPALIVE_MS,
  });

  takeHandshakesInTurns(server, limits.mqttHandshakeSeconds * SECOND, options.clock);
  server.on("connection", connections.opened);
  // Without this, a handshake that fails or times out leaves its socket open forever.
  server.on("tlsClientError", (error, socket) => {
    logger.debug({ err: error.message, remoteAddress: socket.remoteAddress }, "a TLS handshake failed");
    socket.destroy();
  });
  server.on("secureConnection", (socket) => {
    socket.disableRenegotiation();
    connections.secured(socket);
    options.onPeer(socket, credentialOf(socket));
  });

  readProxyHeaders(server, options.proxyProtocolFrom ?? []);

  return {
    start: () =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen({ host, port, backlog: 4096, reusePort: sharesPort ?? false }, () => {
          server.off("error", reject);
          server.on("error", (error) => logger.error({ err: error.message }, "the MQTT listener failed"));
          resolve((server.address() as AddressInfo).port);
        });
      }),
    refresh: () => server.setSecureContext(contextOptions(options.tls())),
    authenticated: connections.authenticated,
    listening: () => server.listening,
    stop: () =>
      new Promise((resolve) => {
        if (!server.listening) return resolve();
        server.close(() => resolve());
        connections.closeUnauthenticated();
      }),
  };
}

function contextOptions(tls: ListenerTls): SecureContextOptions {
  return mutualTls(tls, tls);
}

function credentialOf(socket: TLSSocket): Credential {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return { kind: "none", tlsVersion: socket.getProtocol() ?? undefined };
  const verifyError = socket.authorized ? undefined : String(socket.authorizationError);
  return { kind: "certificate", der: certificate.raw, verified: socket.authorized, verifyError };
}
