import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import type { AddressRange } from "../../lib/address.ts";
import { type Clock, SECOND } from "../../lib/clock.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import { UnauthenticatedBudget } from "../../lib/limits/unauthenticated-budget.ts";
import type { OnCapReached } from "../../lib/sockets/cap-reports.ts";
import { takeHandshakesInTurns } from "../../lib/sockets/handshake-turns.ts";
import { readProxyHeaders } from "../../lib/sockets/proxy-protocol.ts";
import { UnauthenticatedConnections } from "../../lib/sockets/unauthenticated-connections.ts";
import { type ConnectionLimits, capConnections } from "./connection-caps.ts";
import { CountedResponse } from "./counted-response.ts";
import type { Parsed } from "./gated-connection.ts";
import { type GateLimits, RequestGate } from "./request-gate.ts";

/** The interval at which the server checks for overdue connections. */
const CHECK_EVERY_MS = 2_000;

export type HttpsLimits = ConnectionLimits &
  GateLimits &
  Pick<
    Limits,
    | "headerBytes"
    | "httpsUnauthenticatedRequests"
    | "httpsUnauthenticatedRequestsPerSecond"
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
  /** Addresses shared by many clients; the cap per address does not apply to them. */
  proxies: readonly AddressRange[];
  clock: Pick<Clock, "monotonicMs">;
  onCapReached: OnCapReached;
  /** Answers a request whose address block has used up its unauthenticated budget. */
  refuse(parsed: Parsed, retryAfterSeconds: number): void;
  checkEveryMs?: number;
}

/** The HTTPS server, and the functions with which its handlers report on requests. */
export interface Listener extends Pick<RequestGate, "authenticated" | "streams"> {
  readonly server: Server;
}

/** Creates the HTTPS server: it requests a client certificate without requiring one, and limits the cost of peers. */
export function createListener(
  context: SecureContextOptions,
  onRequest: RequestListener,
  { checkEveryMs = CHECK_EVERY_MS, proxyProtocolFrom = [], clock, refuse, ...caps }: ListenerOptions,
): Listener {
  const { limits } = caps;
  const { httpsUnauthenticatedRequests: burst, httpsUnauthenticatedRequestsPerSecond: refillPerSecond } = limits;
  const budget = new UnauthenticatedBudget({ burst, refillPerSecond }, clock);
  const unauthenticated = new UnauthenticatedConnections(budget, caps.proxies);
  const connections = capConnections({ ...caps, unauthenticated });
  const onAuthenticated = connections.authenticated;
  const timeOut = (socket: TLSSocket) => {
    // As Node does at the end of the time for a request.
    const late = Object.assign(new Error("the body is late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    if (!server.emit("clientError", late, socket)) socket.destroy();
  };
  const gate = new RequestGate({ ...caps, clock, budget, refuse, timeOut, onAuthenticated, handle: onRequest });
  const onAnyRequest: RequestListener = (request, response) => {
    connections.serving(request.socket as TLSSocket, response);
    response.once("finish", () => closeUnlessComplete(request));
    gate.parsed(request, response as CountedResponse);
  };
  const server = createServer(serverOptions(context, limits, checkEveryMs), onAnyRequest);
  takeHandshakesInTurns(server, limits.httpsHandshakeSeconds * SECOND, clock);
  server.setTimeout(limits.httpsIdleSeconds * SECOND);
  // Without these listeners Node answers an `Expect` itself: 100 before the request is authenticated, or 417 without a
  // body.
  server.on("checkContinue", onAnyRequest);
  server.on("checkExpectation", onAnyRequest);
  server.on("connection", connections.opened);
  server.on("secureConnection", (socket) => {
    socket.disableRenegotiation();
    connections.secured(socket);
    gate.opened(socket);
  });
  // Without this listener a socket whose handshake failed stays open indefinitely.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  readProxyHeaders(server, proxyProtocolFrom);
  return {
    server,
    authenticated: (request) => gate.authenticated(request),
    streams: (request) => gate.streams(request),
  };
}

function serverOptions(context: SecureContextOptions, limits: HttpsLimits, checkEveryMs: number): ServerOptions {
  return {
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
    ServerResponse: CountedResponse as typeof ServerResponse,
  };
}

const UNREADABLE: Record<string, [status: string, error: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "headers_too_large", "The headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "request_timeout", "The request took too long to arrive."],
};

/**
 * The longest that a client may keep sending after its last answer: closing immediately would reset the connection and
 * lose the answer.
 */
const LINGER_MS = 500;

/**
 * Handles `clientError`: answers bytes that are not HTTP with our error body, and closes the connection, which would
 * otherwise stay open.
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

/**
 * Closes the connection of a request that was answered before its body arrived (such as one without a key), unless the
 * body ends soon.
 */
function closeUnlessComplete(request: IncomingMessage): void {
  if (request.complete) return;
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, LINGER_MS).unref();
}
