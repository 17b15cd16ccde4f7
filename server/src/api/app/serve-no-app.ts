import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "../http/other-methods.ts";

/** The pages of the API reference provide the style. */
const REFERENCE = "/docs/api";
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Muster</title>
<link rel="stylesheet" href="${REFERENCE}/style.css">
<link rel="icon" type="image/svg+xml" href="${REFERENCE}/icon.svg">
</head>
<body>
<main class="home">
<h1>Muster</h1>
<p class="lead">Devices enroll here, and integrations read and write over the public API.</p>
<p>The admin app is not built, so this service runs without it. On the service's machine, run <code>npm run build</code> in Muster's folder and restart the service.</p>
<ul>
<li><a href="${REFERENCE}">API reference</a></li>
<li>OpenAPI descriptions: <a href="/openapi/public.json">the public API</a>, <a href="/openapi/device.json">the device endpoints</a></li>
<li>For probes: <a href="/healthz">whether the process runs</a>, <a href="/readyz">whether its database and broker answer</a></li>
</ul>
</main>
</body>
</html>
`;

/** Serves the page at `/` of a service without the app: what is missing, and what is available. */
export function serveNoApp(app: FastifyInstance): void {
  app.get("/", (_request, reply) =>
    reply
      .header("cache-control", "no-store")
      .header("content-security-policy", POLICY)
      .type("text/html; charset=utf-8")
      .send(PAGE),
  );
  refuseOtherMethods(app, "/", ["GET"]);
}
