import type { FastifyInstance, HTTPMethods } from "fastify";
import { installBodies } from "./bodies.ts";
import { installCompression } from "./compression.ts";
import { installCors } from "./cors.ts";
import { installExpectations } from "./expectations.ts";
import { mount, type PipelineTools } from "./pipeline.ts";
import { Refusal } from "./problem.ts";
import { routes } from "./routes.ts";

/** On every answer, whatever it is. */
export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
};

declare module "fastify" {
  interface FastifyContextConfig {
    /** The methods of this address, as `Allow` lists them: set on the route that refuses all others. */
    allow?: string;
    /** Whether its answers show what is shown once: they are not compressed. */
    secret?: boolean;
  }
}

/** Everything that holds for every request, whatever its route. */
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

function nothingHere(): Refusal {
  return new Refusal("not_found", "there is nothing at this address", { middleware: "router" });
}

/** Mounts every route, and on each of its addresses an answer for the methods it does not have. */
export function mountRoutes(app: FastifyInstance, tools: PipelineTools): void {
  for (const route of routes) mount(app, route, tools);
  for (const path of new Set(routes.map((route) => route.path))) {
    refuseOtherMethods(
      app,
      path,
      routes.filter((route) => route.path === path).map((route) => route.method),
    );
  }
}

/** `405` with `Allow` for the methods that `path` does not have (RFC 9110 15.5.6). */
export function refuseOtherMethods(app: FastifyInstance, path: string, methods: readonly string[]): void {
  const allowed = methods.includes("GET") ? [...methods, "HEAD"] : [...methods];
  const allow = [...new Set(allowed)].join(", ");
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)) as HTTPMethods[],
    url: path.replaceAll(/\{(\w+)\}/g, ":$1"),
    config: { allow },
    onRequest: (_request, _reply, done) =>
      done(new Refusal("method_not_allowed", `this address takes ${allow}`, { extra: { allow } })),
    handler: () => undefined,
  });
}
