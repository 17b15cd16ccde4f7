import { constants } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import type { KeyPair } from "./server-certificate.ts";

/** What an unproven peer may cost (B7 of the reliability promises); times in milliseconds. */
export const LIMITS = {
  handshakeMs: 10_000,
  headersMs: 10_000,
  requestMs: 20_000,
  keepAliveMs: 65_000,
  /** How long a request under way may see no byte move, such as an answer that nobody reads. */
  idleMs: 30_000,
  /** How often overdue connections are looked for. */
  checkEveryMs: 2_000,
  /** Connections that have not sent a request yet; beyond it the oldest goes. */
  silentSockets: 2_000,
  headerBytes: 32 * 1024,
};

/** TLS 1.2 with ECDHE and AEAD only, and 1.3 (RFC 9325): Node's own list still offers CBC. */
const CIPHERS = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/**
 * What a connection is secured with. No tickets: a resumed session skips the verification of the client's certificate.
 * `deviceRoots` are roots only, so that a leaf without its intermediate does not verify (spec 7).
 */
export function secureContext(pair: KeyPair, deviceRoots: string): SecureContextOptions {
  return {
    ...pair,
    ca: deviceRoots,
    minVersion: "TLSv1.2",
    ciphers: CIPHERS,
    honorCipherOrder: true,
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

/** The HTTPS server: asks for a client certificate without requiring one, and keeps silent peers in bounds. */
export function createListener(context: SecureContextOptions, onRequest: RequestListener, limits = LIMITS): Server {
  const silent = createSilentSockets(limits.silentSockets);
  const take: RequestListener = (request, response) => {
    silent.spoke(request.socket as TLSSocket);
    response.once("finish", () => closeUnlessComplete(request));
    onRequest(request, response);
  };
  const server = createServer(
    {
      ...context,
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: limits.handshakeMs,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize: limits.headerBytes,
      ALPNProtocols: ["http/1.1"],
      // Checked by expectations.ts, whose answer has our error body.
      requireHostHeader: false,
    },
    take,
  );
  server.setTimeout(limits.idleMs);
  // Without these Node answers an `Expect` itself: 100 before anybody has looked at the request, or a bare 417.
  server.on("checkContinue", take);
  server.on("checkExpectation", take);
  server.on("connection", (socket: Socket) => silent.opened(socket));
  server.on("secureConnection", (socket) => silent.secured(socket));
  // Without a listener that destroys it, a socket that failed its handshake stays open for ever.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  return server;
}

const UNREADABLE: Record<string, [status: string, error: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "headers_too_large", "The headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "request_timeout", "The request took too long to arrive."],
};

/** How long a connection that got its last answer may go on sending, so that the answer is not lost to a reset. */
const LINGER_MS = 500;

/**
 * For `clientError`: what is not HTTP at all gets one plain answer, with our error body, and the connection is closed. A
 * listener that only logged would leave the socket open for ever.
 */
export function answerUnreadable(error: Error & { code?: string }, socket: Duplex, requestId: string): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, message] = UNREADABLE[error.code ?? ""] ?? [
    "400 Bad Request",
    "invalid_request",
    "The request is not HTTP/1.1.",
  ];
  const body = JSON.stringify({ error: code, middleware: "router", message, requestId });
  socket.removeAllListeners("data");
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

/** A request that was answered before its body had come, such as one without a key, may not go on sending it for long. */
function closeUnlessComplete(request: IncomingMessage): void {
  if (request.complete) return;
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, LINGER_MS).unref();
}

/** Sockets that have cost us a connection and not sent a request. */
function createSilentSockets(most: number) {
  const raw = new Map<string, Socket>();
  const secured = new Map<TLSSocket, string>();
  const key = (socket: Socket) => `${socket.remoteAddress}|${socket.remotePort}`;
  return {
    opened(socket: Socket): void {
      const name = key(socket);
      raw.set(name, socket);
      socket.once("close", () => {
        if (raw.get(name) === socket) raw.delete(name);
      });
      if (raw.size > most) {
        const [oldest, victim] = raw.entries().next().value!;
        raw.delete(oldest);
        victim.destroy();
      }
    },
    secured(socket: TLSSocket): void {
      secured.set(socket, key(socket));
      socket.once("close", () => secured.delete(socket));
    },
    spoke(socket: TLSSocket): void {
      const name = secured.get(socket);
      if (name === undefined) return;
      secured.delete(socket);
      raw.delete(name);
    },
  };
}
