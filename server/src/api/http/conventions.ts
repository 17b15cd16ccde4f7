import type { FastifyInstance } from "fastify";
import { installBodies } from "./bodies.ts";
import { installCompression } from "./compression.ts";
import { installCors } from "./cors.ts";
import { installExpectations } from "./expectations.ts";
import { nothingHere } from "./nothing-here.ts";

/** On every answer. */
export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
};

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the answer holds a secret that is shown once: such an answer is not compressed. */
    secret?: boolean;
    /** Whether the route answers with content that is made once, the same Buffer at every request. */
    isStatic?: boolean;
  }
}

/** Installs what applies to every request, whatever its route. */
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
