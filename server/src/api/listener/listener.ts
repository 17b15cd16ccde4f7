import type { IncomingMessage, RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { Duplex } from "node:stream";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import type { AddressRange } from "../../lib/address.ts";
import { SECOND } from "../../lib/clock.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import type { OnCapReached } from "../../lib/sockets/cap-reports.ts";
import { readProxyHeaders } from "../../lib/sockets/proxy-protocol.ts";
import { type ConnectionLimits, capConnections } from "./connection-caps.ts";

/** How often the server checks for overdue connections. */
const CHECK_EVERY_MS = 2_000;

export type HttpsLimits = ConnectionLimits &
  Pick<
    Limits,
    | "headerBytes"
    | "httpsHandshakeSeconds"
    | "httpsHeaderSeconds"
    | "httpsRequestSeconds"
    | "httpsIdleSeconds"
    | "httpsKeepAliveSeconds"
  >;

export interface ListenerOptions {
  limits: HttpsLimits;
  /** Load balancers that name the client of a connection before its TLS. */
  proxyProtocolFrom?: readonly AddressRange[];
  /** Addresses that many clients share; the cap on one address does not apply to them. */
  proxies: readonly AddressRange[];
  onCapReached: OnCapReached;
  checkEveryMs?: number;
}

/** Creates the HTTPS server: it requests a client certificate without requiring one, and limits what peers may cost. */
export function createListener(
  context: SecureContextOptions,
  onRequest: RequestListener,
  { limits, checkEveryMs = CHECK_EVERY_MS, proxyProtocolFrom = [], ...caps }: ListenerOptions,
): Server {
  const connections = capConnections({ limits, ...caps });
  const onAnyRequest: RequestListener = (request, response) => {
    connections.serving(request.socket as TLSSocket, response);
    response.once("finish", () => closeUnlessComplete(request));
    onRequest(request, response);
  };
  const server = createServer(
    {
      ...context,
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: limits.httpsHandshakeSeconds * SECOND,
      headersTimeout: limits.httpsHeaderSeconds * SECOND,
      requestTimeout: limits.httpsRequestSeconds * SECOND,
      keepAliveTimeout: limits.httpsKeepAliveSeconds * SECOND,
      connectionsCheckingInterval: checkEveryMs,
      maxHeaderSize: limits.headerBytes,
      ALPNProtocols: ["http/1.1"],
      // http/expectations.ts checks it, with our error body.
      requireHostHeader: false,
    },
    onAnyRequest,
  );
  server.setTimeout(limits.httpsIdleSeconds * SECOND);
  // Without these listeners Node answers an `Expect` itself: 100 before the request is authenticated, or 417 without a body.
  server.on("checkContinue", onAnyRequest);
  server.on("checkExpectation", onAnyRequest);
  server.on("connection", connections.opened);
  server.on("secureConnection", (socket) => {
    socket.disableRenegotiation();
    connections.secured(socket);
  });
  // Without this listener a socket whose handshake failed stays open without end.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  readProxyHeaders(server, proxyProtocolFrom);
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
