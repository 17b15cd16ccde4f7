import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "./other-methods.ts";

/** Whether the database and the broker answer: the service cannot work without either. */
export type Readiness = () => Promise<{ database: boolean; broker: boolean }>;

/** Liveness and readiness for probes; without credentials. */
export function installHealth(app: FastifyInstance, readiness: Readiness): void {
  app.get("/healthz", (_request, reply) => reply.header("cache-control", "no-store").send({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const { database, broker } = await readiness();
    const ready = database && broker;
    reply.code(ready ? 200 : 503).header("cache-control", "no-store");
    return { status: ready ? "ok" : "unavailable", database, broker };
  });
  for (const path of ["/healthz", "/readyz"]) refuseOtherMethods(app, path, ["GET"]);
}
