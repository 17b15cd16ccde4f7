import { constants } from "node:crypto";
import type { AddressInfo, Socket } from "node:net";
import { createServer, type SecureContextOptions, type TLSSocket } from "node:tls";
import type { Logger } from "../lib/logger.ts";
import type { BrokerLimits } from "./limits.ts";
import type { Credential } from "./policy/policy.ts";

/** Our certificate with its chain and key, and the roots under which client certificates are trusted; PEM. */
export interface ListenerTls {
  cert: string;
  key: string;
  deviceRoots: string;
}

export interface ListenerOptions {
  host: string;
  /** 0 picks a free one. */
  port: number;
  tls(): ListenerTls;
  limits: Pick<BrokerLimits, "handshakeMs" | "maxUnauthenticated">;
  logger: Logger;
  /** A client whose TLS handshake is done. It counts as unauthenticated until `authenticated` is called. */
  onPeer(socket: TLSSocket, credential: Credential): void;
}

export interface Listener {
  start(): Promise<number>;
  /** Uses the current `tls()` for new connections; open ones go on. */
  refresh(): void;
  authenticated(socket: TLSSocket): void;
  listening(): boolean;
  /** Accepts no more connections, and closes those that have not authenticated. */
  stop(): Promise<void>;
}

/** RFC 9325: TLS 1.3, and of 1.2 only ephemeral ECDH with authenticated encryption. */
const CIPHERS = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

const KEEPALIVE_MS = 60_000;

/**
 * TLS for MQTT. A client certificate is requested and not required, because password clients share the port; the credential says
 * whether it was verified. No TLS session is ever resumed: Node does not verify the certificate of a resumed session again.
 */
export function createListener(options: ListenerOptions): Listener {
  const { limits, logger } = options;
  /** By remote address and port, oldest first: a TLS socket does not expose the raw socket that it wraps. */
  const unauthenticated = new Map<string, Socket>();
  const server = createServer({
    ...contextOptions(options.tls()),
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: limits.handshakeMs,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEPALIVE_MS,
  });

  server.on("connection", (raw: Socket) => {
    const peer = peerOf(raw);
    unauthenticated.set(peer, raw);
    raw.once("close", () => {
      if (unauthenticated.get(peer) === raw) unauthenticated.delete(peer);
    });
    if (unauthenticated.size <= limits.maxUnauthenticated) return;
    const [oldest] = unauthenticated.values();
    oldest?.destroy();
  });
  // Without this, a handshake that fails or takes too long leaves its socket open for good.
  server.on("tlsClientError", (error, socket) => {
    logger.debug({ err: error.message, remoteAddress: socket.remoteAddress }, "a TLS handshake failed");
    socket.destroy();
  });
  server.on("secureConnection", (socket) => {
    socket.disableRenegotiation();
    options.onPeer(socket, credentialOf(socket));
  });

  return {
    start: () =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen({ host: options.host, port: options.port, backlog: 4096 }, () => {
          server.off("error", reject);
          server.on("error", (error) => logger.error({ err: error.message }, "the MQTT listener failed"));
          resolve((server.address() as AddressInfo).port);
        });
      }),
    refresh: () => server.setSecureContext(contextOptions(options.tls())),
    authenticated: (socket) => void unauthenticated.delete(peerOf(socket)),
    listening: () => server.listening,
    stop: () =>
      new Promise((resolve) => {
        if (!server.listening) return resolve();
        server.close(() => resolve());
        for (const raw of unauthenticated.values()) raw.destroy();
      }),
  };
}

function contextOptions(tls: ListenerTls): SecureContextOptions {
  return {
    cert: tls.cert,
    key: tls.key,
    // Roots only: a leaf without its intermediate must not verify (spec 4.10).
    ca: tls.deviceRoots,
    minVersion: "TLSv1.2",
    ciphers: CIPHERS,
    honorCipherOrder: true,
    ecdhCurve: "X25519:P-256:P-384",
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  };
}

function credentialOf(socket: TLSSocket): Credential {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return { kind: "none" };
  const verifyError = socket.authorized ? undefined : String(socket.authorizationError);
  return { kind: "certificate", der: certificate.raw, verified: socket.authorized, verifyError };
}

function peerOf(socket: Pick<Socket, "remoteAddress" | "remotePort">): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
