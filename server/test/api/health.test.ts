import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deviceDocument, publicDocument } from "../../src/api/openapi/openapi.ts";
import { createAuthorities, createMasterKeys } from "../../src/authorities/authorities.ts";
import { parseConfig } from "../../src/config/config.ts";
import { openMasterKeyStore } from "../../src/config/master-key.ts";
import { encryptAgain } from "../../src/features.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { VERSION } from "../../src/lib/installed/version.ts";
import { enrollDevice, newTenant } from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import { https } from "../harness/http/https.ts";
import { startServer, TEST_MASTER_KEY, type TestServer } from "../harness/server.ts";

let server: TestServer;

before(async () => {
  server = await startServer();
});
after(() => server.stop());

const get = (path: string) => https(server.httpUrl + path, { ca: server.ca });

test("/healthz shows that the process runs, /readyz that it can serve", async () => {
  assert.deepEqual((await get("/healthz")).json, { status: "ok", version: VERSION });
  assert.deepEqual((await get("/readyz")).json, {
    status: "ok",
    database: true,
    broker: true,
    masterKey: true,
    lease: true,
  });
});

test("/readyz is 503 and names the missing part: the broker, or the new master key after a rotation elsewhere", async () => {
  const own = await startServer();
  const ready = () => https(`${own.httpUrl}/readyz`, { ca: own.ca });
  try {
    await rotateElsewhere(own);
    await eventually(async () => (await ready()).status === 503);
    assert.deepEqual((await ready()).json, {
      status: "unavailable",
      database: true,
      broker: true,
      masterKey: false,
      lease: true,
    });
    await own.app.broker.stop();
    await eventually(async () => !(await ready()).json.broker);
    const answer = await ready();
    assert.equal(answer.status, 503);
    assert.deepEqual(answer.json, {
      status: "unavailable",
      database: true,
      broker: false,
      masterKey: false,
      lease: true,
    });
    assert.equal((await https(`${own.httpUrl}/healthz`, { ca: own.ca })).status, 200);
  } finally {
    await own.stop();
  }
});

/** Rotates the master key as another process on the same database does, which alone has the new key. */
async function rotateElsewhere({ app, clock, dataDir }: TestServer): Promise<void> {
  const env = { MUSTER_DATA_DIR: dataDir, MUSTER_MASTER_KEY: TEST_MASTER_KEY };
  const next = Buffer.alloc(32, 8).toString("base64");
  const store = await openMasterKeyStore(parseConfig({ ...env, MUSTER_MASTER_KEY_NEXT: next }));
  const masterKeys = createMasterKeys(store);
  const deps = { ...app, clock, ids: randomIds, masterKeys, publicHost: "localhost", encryptAgain };
  const other = await createAuthorities(deps);
  await other.rotateMasterKey();
  await other.close();
}

test("the front page and the API's description need no key", async () => {
  const page = await get("/");
  assert.equal(page.status, 200);
  assert.match(String(page.headers["content-type"]), /^text\/html/);
  assert.match(page.text, /\/openapi\/public\.json/);
  assert.match(page.text, /"\/docs\/api"/);
  assert.match(page.text, /<meta name="viewport"/);
  assert.match(String(page.headers["content-security-policy"]), /style-src 'self'/);
  for (const [surface, expected] of [
    ["public", publicDocument()],
    ["device", deviceDocument()],
  ] as const) {
    const document = await get(`/openapi/${surface}.json`);
    assert.equal(document.status, 200);
    const externalDocs = expected.externalDocs && { ...expected.externalDocs, url: `${server.httpUrl}/docs/api` };
    assert.deepEqual(document.json, JSON.parse(JSON.stringify({ ...expected, externalDocs })));
    assert.equal(document.headers["cache-control"], "public, max-age=300");
    const again = { ca: server.ca, headers: { "if-none-match": String(document.headers.etag) } };
    assert.equal((await https(`${server.httpUrl}/openapi/${surface}.json`, again)).status, 304);
  }
});

test("the API reference consists of pages under a strict policy that caches may store and clients may revalidate", async () => {
  for (const path of ["/docs/api", "/docs/api/errors/claim_expired", "/docs/api/operations/createClaim"]) {
    const { status, headers, text } = await get(path);
    assert.equal(status, 200, path);
    assert.match(String(headers["content-type"]), /^text\/html; charset=utf-8/);
    assert.equal(
      headers["content-security-policy"],
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    assert.equal(headers["cache-control"], "public, max-age=300");
    assert.ok(
      text.includes(`${server.httpUrl}/`) || path.includes("errors"),
      "the samples hold the service's own address",
    );
    const again = { ca: server.ca, headers: { "if-none-match": String(headers.etag) } };
    const unchanged = await https(server.httpUrl + path, again);
    assert.deepEqual([unchanged.status, unchanged.text, unchanged.headers.etag], [304, "", headers.etag]);
    const head = await https(server.httpUrl + path, { ca: server.ca, method: "HEAD" });
    assert.deepEqual([head.status, head.text, head.headers.etag], [200, "", headers.etag]);
  }
  for (const [path, type] of [
    ["/docs/api/style.css", "text/css; charset=utf-8"],
    ["/docs/api/script.js", "text/javascript; charset=utf-8"],
    ["/docs/api/icon.svg", "image/svg+xml"],
  ] as const) {
    assert.equal((await get(path)).headers["content-type"], type);
  }
});

test("an unknown address below the API reference is a page for browsers and the error body for programs", async () => {
  const page = { ca: server.ca, headers: { accept: "text/html,*/*;q=0.8" } };
  const lost = await https(`${server.httpUrl}/docs/api/errors/no_such_code`, page);
  assert.equal(lost.status, 404);
  assert.match(lost.text, /<h1>There is no such page<\/h1>/);
  const { status, json } = await get("/docs/api/errors/no_such_code");
  assert.deepEqual([status, json.error, json.middleware], [404, "not_found", "router"]);
  const posted = await https(`${server.httpUrl}/docs/api`, { ca: server.ca, body: {} });
  assert.deepEqual([posted.status, posted.headers.allow], [405, "GET, HEAD"]);
  for (const path of ["/docs", "/docs/", "/docs/api/"]) {
    const { status: moved, headers } = await get(path);
    assert.deepEqual([moved, headers.location], [308, "/docs/api"], path);
  }
});

test("every answer is protected against sniffing and framing, and allows no other origin", async () => {
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

test("metrics have a separate port, and count requests by route and enrollments by result", async () => {
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
  assert.match(text, /^muster_telemetry_waiting 0$/m);
  assert.match(text, /^muster_anomalies_unresolved\{severity="critical"\} 0$/m);
  assert.match(text, /^muster_roll_ups_due 0$/m);
  assert.ok(!text.includes(tenant.slug), "no label comes from a client");
  assert.equal((await fetch(metricsUrl.replace("/metrics", "/"))).status, 404);
});

test("a stopping server finishes the running request and then waits for no connection", async () => {
  const own = await startServer();
  const tenant = await newTenant(own);
  const enrolled = enrollDevice(own, tenant);
  await new Promise((resolve) => own.app.api.server.once("request", resolve));
  const began = performance.now();
  await own.stop();
  assert.ok((await enrolled).deviceId);
  assert.ok(performance.now() - began < 60_000, "its connection is kept by the client, who may ask again");
});
