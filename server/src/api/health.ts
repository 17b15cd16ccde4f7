import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "./router.ts";

/** Whether what the service cannot work without answers. */
export type Readiness = () => Promise<{ database: boolean; broker: boolean }>;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Muster</title>
<h1>Muster</h1>
<p>Devices enroll here, and integrations read and write over the public API.</p>
<ul>
<li><a href="/docs/api">API reference</a></li>
<li><a href="/openapi/public.json">OpenAPI description of the public API</a></li>
<li><a href="/healthz">Is the process alive?</a></li>
<li><a href="/readyz">Do its database and broker answer?</a></li>
</ul>
</html>
`;

/** The addresses without a credential: liveness, readiness, a front page. */
export function installHealth(app: FastifyInstance, readiness: Readiness): void {
  app.get("/healthz", (_request, reply) => reply.header("cache-control", "no-store").send({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const { database, broker } = await readiness();
    const ready = database && broker;
    reply.code(ready ? 200 : 503).header("cache-control", "no-store");
    return { status: ready ? "ok" : "unavailable", database, broker };
  });
  app.get("/", (_request, reply) => reply.type("text/html; charset=utf-8").send(PAGE));
  for (const path of ["/healthz", "/readyz", "/"]) refuseOtherMethods(app, path, ["GET"]);
}
