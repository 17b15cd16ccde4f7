import type { FastifyInstance } from "fastify";
import { installBodies } from "./bodies.ts";
import { installCompression } from "./compression.ts";
import { installCors } from "./cors.ts";
import { installExpectations } from "./expectations.ts";
import { nothingHere } from "./nothing-here.ts";

/** The headers of every answer. */
export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
};

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the answer contains a one-time secret: such an answer is not compressed. */
    secret?: boolean;
    /** Whether the route's content is static, the same Buffer at every request. */
    isStatic?: boolean;
  }
}

/** Installs the conventions of every request, regardless of its route. */
export function installConventions(app: FastifyInstance, { corsOrigins }: { corsOrigins: readonly string[] }): void {
  app.decorateRequest("who", undefined);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(SECURITY_HEADERS).header("x-request-id", request.id);
    done();
  });
  installCors(app, corsOrigins);
  installExpectations(app);
  app.addHook("onRequest", (request, _reply, done) => done(request.is404 ? nothingHere() : undefined));
  app.setNotFoundHandler(() => {
    throw nothingHere();
  });
  installBodies(app);
  installCompression(app);
}
