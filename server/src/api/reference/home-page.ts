import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "../http/other-methods.ts";
import { ROOT } from "./links.ts";
import { PAGE_POLICY } from "./serve-reference.ts";

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

/** The page at `/`, for a person who opens the service's address. */
export function serveHomePage(app: FastifyInstance): void {
  app.get("/", (_request, reply) =>
    reply.header("content-security-policy", PAGE_POLICY).type("text/html; charset=utf-8").send(PAGE),
  );
  refuseOtherMethods(app, "/", ["GET"]);
}
