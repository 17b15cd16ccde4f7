/**
 * CORS (Fetch standard, CORS protocol) without `@fastify/cors`. The plugin answers preflights of unlisted origins and
 * names the same methods for every address. A delegator that corrects this would decide everything that is decided
 * here, and leave the plugin only six headers to copy.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { vary } from "./vary.ts";

/** The addresses that pages of other origins may read: the public API and its description. */
const SHARED = ["/api/v1/", "/openapi/"];

const PREFLIGHT = {
  "access-control-allow-headers": "X-API-Key, Content-Type, If-Match, If-None-Match, Idempotency-Key, X-Request-Id",
  /** In seconds; Chromium caches a preflight for at most two hours. */
  "access-control-max-age": "7200",
};

const EXPOSED = "ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, Idempotent-Replayed";

/**
 * Lets pages of the listed origins read the public API. Without origins no CORS header is ever sent. Credentials are
 * never allowed: the page sets the API key itself, and the API uses no cookies.
 *
 * @param origins exact origins such as `https://console.example`
 */
export function installCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const listed = new Set(origins);
  app.addHook("onRequest", (request, reply, done) => {
    if (!SHARED.some((prefix) => request.url.startsWith(prefix))) return done();
    vary(reply, "Origin");
    const { origin } = request.headers;
    if (origin === undefined || !listed.has(origin)) return done();
    reply.header("access-control-allow-origin", origin).header("access-control-expose-headers", EXPOSED);
    if (!isPreflight(request)) return done();
    answerPreflight(request, reply);
  });
}

/**
 * Recognizes a preflight. No address has the method OPTIONS, so Fastify routes it to the 405 handler, which knows the
 * methods (http/other-methods.ts).
 */
function isPreflight({ method, headers, routeOptions }: FastifyRequest): boolean {
  return (
    method === "OPTIONS" &&
    headers["access-control-request-method"] !== undefined &&
    routeOptions.config.allow !== undefined
  );
}

function answerPreflight(request: FastifyRequest, reply: FastifyReply): void {
  const methods = request.routeOptions.config.allow!;
  reply
    .code(204)
    .headers({ ...PREFLIGHT, "access-control-allow-methods": methods })
    .send();
}
