import { constants } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import type { KeyPair } from "./server-certificate.ts";

/** Limits for connections that have not authenticated yet, so that they cannot exhaust the process; times in milliseconds. */
export const LIMITS = {
  handshakeMs: 10_000,
  headersMs: 10_000,
  requestMs: 20_000,
  keepAliveMs: 65_000,
  /** How long a connection may transfer nothing during a request, such as when the client does not read the answer. */
  idleMs: 30_000,
  /** How often the server checks for overdue connections. */
  checkEveryMs: 2_000,
  /** Connections that have not sent a request yet; above this number the oldest is closed. */
  pendingSockets: 2_000,
  headerBytes: 32 * 1024,
};

/** TLS 1.2 with ECDHE and AEAD only, and TLS 1.3 (RFC 9325): Node's default list still offers CBC. */
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
 * The TLS settings of a connection. No session tickets: a resumed session skips the verification of the client's certificate.
 * `deviceRoots` holds roots only, so that a leaf without its intermediate does not verify (spec 7).
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

/** Creates the HTTPS server: it requests a client certificate without requiring one, and limits idle peers. */
export function createListener(context: SecureContextOptions, onRequest: RequestListener, limits = LIMITS): Server {
  const pending = createPendingSockets(limits.pendingSockets);
  const onAnyRequest: RequestListener = (request, response) => {
    pending.sentRequest(request.socket as TLSSocket);
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
      // http/expectations.ts checks it, with our error body.
      requireHostHeader: false,
    },
    onAnyRequest,
  );
  server.setTimeout(limits.idleMs);
  // Without these listeners Node answers an `Expect` itself: 100 before the request is authenticated, or 417 without a body.
  server.on("checkContinue", onAnyRequest);
  server.on("checkExpectation", onAnyRequest);
  server.on("connection", (socket: Socket) => pending.opened(socket));
  server.on("secureConnection", (socket) => pending.secured(socket));
  // Without this listener a socket whose handshake failed stays open without end.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  return server;
}

const UNREADABLE: Record<string, [status: string, error: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "headers_too_large", "The headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "request_timeout", "The request took too long to arrive."],
};

/** How long a client may go on sending after its last answer: closing at once would reset the connection and lose the answer. */
const LINGER_MS = 500;

/**
 * Handles `clientError`: answers bytes that are not HTTP with our error body, and closes the connection, which would otherwise stay
 * open.
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

/** Closes the connection of a request that was answered before its body arrived (such as one without a key), unless it ends soon. */
function closeUnlessComplete(request: IncomingMessage): void {
  if (request.complete) return;
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, LINGER_MS).unref();
}

/** Tracks connections that have not sent a request, and closes the oldest above `most`. */
function createPendingSockets(most: number) {
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
        const [oldest, socketToClose] = raw.entries().next().value!;
        raw.delete(oldest);
        socketToClose.destroy();
      }
    },
    secured(socket: TLSSocket): void {
      secured.set(socket, key(socket));
      socket.once("close", () => secured.delete(socket));
    },
    sentRequest(socket: TLSSocket): void {
      const name = secured.get(socket);
      if (name === undefined) return;
      secured.delete(socket);
      raw.delete(name);
    },
  };
}
