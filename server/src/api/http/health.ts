import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "./other-methods.ts";

/** Whether the database and the broker answer, and whether the process has the present master key: it cannot work without any of them. */
export type Readiness = () => Promise<Record<"database" | "broker" | "masterKey", boolean>>;

/** Liveness and readiness for probes; without credentials. */
export function installHealth(app: FastifyInstance, readiness: Readiness): void {
  app.get("/healthz", (_request, reply) => reply.header("cache-control", "no-store").send({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const parts = await readiness();
    const ready = Object.values(parts).every(Boolean);
    reply.code(ready ? 200 : 503).header("cache-control", "no-store");
    return { status: ready ? "ok" : "unavailable", ...parts };
  });
  for (const path of ["/healthz", "/readyz"]) refuseOtherMethods(app, path, ["GET"]);
}
