import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { publicDocument } from "../src/api/openapi.ts";
import { enrollDevice, newTenant } from "./harness/devices.ts";
import { https } from "./harness/https.ts";
import { startServer, type TestServer } from "./harness/server.ts";

let server: TestServer;

before(async () => {
  server = await startServer();
});
after(() => server.stop());

const get = (path: string) => https(server.httpUrl + path, { ca: server.ca });

test("/healthz says the process is alive, /readyz that database and broker answer", async () => {
  assert.deepEqual((await get("/healthz")).json, { status: "ok" });
  assert.deepEqual((await get("/readyz")).json, { status: "ok", database: true, broker: true });
});

test("/readyz is 503 and says which part is missing", async () => {
  const own = await startServer();
  try {
    await own.app.broker.stop();
    const answer = await https(`${own.httpUrl}/readyz`, { ca: own.ca });
    assert.equal(answer.status, 503);
    assert.deepEqual(answer.json, { status: "unavailable", database: true, broker: false });
    assert.equal((await https(`${own.httpUrl}/healthz`, { ca: own.ca })).status, 200);
  } finally {
    await own.stop();
  }
});

test("the front page and the API's description need no key", async () => {
  const page = await get("/");
  assert.equal(page.status, 200);
  assert.match(String(page.headers["content-type"]), /^text\/html/);
  assert.match(page.text, /\/openapi\/public\.json/);
  const document = await get("/openapi/public.json");
  assert.equal(document.status, 200);
  assert.deepEqual(document.json, JSON.parse(JSON.stringify(publicDocument())));
});

test("every answer is guarded against sniffing and framing, and opens to no other origin", async () => {
  const preflight = {
    ca: server.ca,
    method: "OPTIONS",
    headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
  };
  const answers = [
    await get("/"),
    await get("/nothing"),
    await get("/api/v1/devices"),
    await get("/%ZZ"),
    await https(`${server.httpUrl}/api/v1/provisioning/claims`, preflight),
    await https(`${server.httpUrl}/healthz`, { ca: server.ca, headers: { origin: "https://evil.example" } }),
  ];
  for (const { headers } of answers) {
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["x-frame-options"], "DENY");
    assert.ok(headers["x-request-id"]);
    assert.equal(headers["access-control-allow-origin"], undefined);
    assert.equal(headers["x-powered-by"] ?? headers.server, undefined);
  }
});

test("metrics are on a port of their own, and count requests by route and enrollments by result", async () => {
  assert.equal((await get("/metrics")).status, 404);
  const tenant = await newTenant(server);
  await enrollDevice(server, tenant);
  const { metricsUrl } = server.app.api;
  assert.equal(new URL(metricsUrl).hostname, "127.0.0.1");
  const text = await (await fetch(metricsUrl)).text();
  assert.match(
    text,
    /^muster_http_request_seconds_count\{method="POST",route="\/api\/provisioning\/claim",status="200"\} 1$/m,
  );
  assert.match(text, /^muster_enrollments_total\{operation="redeem",result="ok"\} 1$/m);
  assert.match(text, /^muster_signing_seconds_count 1$/m);
  assert.match(text, /^muster_database_seconds_count [1-9]/m);
  assert.match(text, /^nodejs_eventloop_lag_p99_seconds /m);
  assert.ok(!text.includes(tenant.slug), "no label comes from a client");
  assert.equal((await fetch(metricsUrl.replace("/metrics", "/"))).status, 404);
});

test("a stopping server finishes the request it has begun", async () => {
  const own = await startServer();
  const tenant = await newTenant(own);
  const enrolled = enrollDevice(own, tenant);
  await new Promise((resolve) => own.app.api.server.once("request", resolve));
  await own.stop();
  assert.ok((await enrolled).deviceId);
});
