import type { FastifyInstance } from "fastify";
import { ROOT } from "./reference/links.ts";
import { PAGE_POLICY } from "./reference/serve-reference.ts";
import { refuseOtherMethods } from "./router.ts";

/** Whether what the service cannot work without answers. */
export type Readiness = () => Promise<{ database: boolean; broker: boolean }>;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Muster</title>
<link rel="stylesheet" href="${ROOT}/style.css">
<link rel="icon" type="image/svg+xml" href="${ROOT}/icon.svg">
</head>
<body>
<main class="home">
<h1>Muster</h1>
<p class="lead">Devices enroll here, and integrations read and write over the public API.</p>
<ul>
<li><a href="${ROOT}">API reference</a></li>
<li>OpenAPI descriptions: <a href="/openapi/public.json">the public API</a>, <a href="/openapi/device.json">the device endpoints</a></li>
<li>For probes: <a href="/healthz">is the process alive</a>, <a href="/readyz">do its database and broker answer</a></li>
</ul>
</main>
</body>
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
  app.get("/", (_request, reply) =>
    reply.header("content-security-policy", PAGE_POLICY).type("text/html; charset=utf-8").send(PAGE),
  );
  for (const path of ["/healthz", "/readyz", "/"]) refuseOtherMethods(app, path, ["GET"]);
}
