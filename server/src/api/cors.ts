import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { vary } from "./vary.ts";

/** What pages of other origins may ever read: the public API and its description. */
const SHARED = ["/api/v1/", "/openapi/"];

const PREFLIGHT = {
  "access-control-allow-headers": "X-API-Key, Content-Type, If-Match, If-None-Match, Idempotency-Key, X-Request-Id",
  /** Browsers keep it for two hours at most. */
  "access-control-max-age": "7200",
};

const EXPOSED = "ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, Idempotent-Replayed";

/**
 * Lets pages of the listed origins read the public API (Fetch, CORS protocol); with none listed no CORS header is ever sent.
 * Credentials are never allowed: the key is a header that the page itself sets, and no cookie of ours goes anywhere.
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

/** OPTIONS is a method that no address has, so the route is the one that tells the others (router.ts, 405). */
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
