import type { FastifyInstance, HTTPMethods } from "fastify";
import { Refusal } from "../problem.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The methods of this address, as `Allow` lists them; set on the route that answers 405 to all others. */
    allow?: string;
  }
}

/** Answers 405 with `Allow` to the methods that `path` does not have (RFC 9110 15.5.6). */
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
