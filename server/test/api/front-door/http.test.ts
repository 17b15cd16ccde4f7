import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { routes } from "../../../src/api/routes.ts";
import { newKey, newTenant, type TestTenant } from "../../harness/devices.ts";
import { https } from "../../harness/http/https.ts";
import { oneOfEach } from "../../harness/one-of-each.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { rawHttp, statuses } from "./raw-http.ts";

const PAGE = "https://console.example";
const GROUPS = "/api/v1/groups";

let server: TestServer;
let tenant: TestTenant;
let key: string;

before(async () => {
  server = await startServer({ env: { MUSTER_CORS_ORIGINS: `${PAGE}, http://localhost:5173` } });
  tenant = await newTenant(server);
  key = await newKey(server, tenant, "groups:read", "groups:write", "devices:read", "device-certificates:issue");
  for (let i = 0; i < 12; i++) await server.app.groups.createGroup(tenant.caller, { name: `Pump hall ${i}` });
});
after(() => server.stop());

function ask(path: string, headers: Record<string, string> = {}, options: { method?: string; body?: unknown } = {}) {
  return https(server.httpUrl + path, { ca: server.ca, headers: { "x-api-key": key, ...headers }, ...options });
}

const raw = (bytes: string) => rawHttp(server, bytes);

test("a preflight from a listed origin names the methods of that address, without a key or rate limit", async () => {
  for (const { path, method } of routes.filter(({ surface }) => surface === "public")) {
    const headers = { origin: PAGE, "access-control-request-method": method };
    const answer = await https(server.httpUrl + path.replace(/\{\w+\}/, "x"), {
      ca: server.ca,
      method: "OPTIONS",
      headers,
    });
    assert.equal(answer.status, 204, path);
    assert.equal(answer.headers["access-control-allow-origin"], PAGE);
    assert.ok(String(answer.headers["access-control-allow-methods"]).split(", ").includes(method));
    assert.match(String(answer.headers["access-control-allow-headers"]), /X-API-Key.*Idempotency-Key/);
    assert.deepEqual([answer.headers.vary, answer.headers["access-control-max-age"]], ["Origin", "7200"]);
    assert.equal(answer.headers.ratelimit, undefined);
    assert.equal(answer.headers["access-control-allow-credentials"], undefined);
  }
});

test("a page of a listed origin may read only answers and errors of the public API, with their headers", async () => {
  const origin = "http://localhost:5173";
  for (const path of [GROUPS, `${GROUPS}/nothing`, "/api/v1/nothing", "/openapi/public.json"]) {
    for (const presented of [key, "wrong"]) {
      const { headers } = await ask(path, { origin, "x-api-key": presented });
      assert.equal(headers["access-control-allow-origin"], origin, path);
      assert.match(String(headers["access-control-expose-headers"]), /ETag.*RateLimit.*X-Request-Id/);
      assert.match(String(headers.vary), /^Origin/);
      assert.equal(headers["cross-origin-resource-policy"], "same-origin");
    }
  }
  for (const path of ["/healthz", "/", "/api/provisioning/claim"]) {
    const { headers } = await ask(path, { origin });
    assert.equal(headers["access-control-allow-origin"], undefined, path);
  }
});

test("an unlisted origin gets no CORS header, and its preflight is an ordinary 405", async () => {
  const origins = ["https://evil.example", "null", "https://console.example.evil.example", `${PAGE}:444`, `${PAGE}/`];
  for (const origin of [...origins, PAGE.toUpperCase(), "http://console.example"]) {
    const headers = { origin, "access-control-request-method": "POST" };
    for (const method of ["OPTIONS", "GET"]) {
      const answer = await ask(GROUPS, headers, { method });
      assert.equal(answer.status, method === "GET" ? 200 : 405, origin);
      const names = Object.keys(answer.headers).filter((name) => name.startsWith("access-control"));
      assert.deepEqual([names, String(answer.headers.vary).split(", ")[0]], [[], "Origin"]);
    }
  }
  assert.equal((await ask(GROUPS, { origin: PAGE }, { method: "OPTIONS" })).status, 405, "no preflight");
});

test("a long answer is compressed for clients that accept it, and carries Vary", async () => {
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
  const plain = await ask(GROUPS);
  assert.deepEqual([plain.headers.vary, plain.headers["content-encoding"]], ["Origin, Accept-Encoding", undefined]);
  for (const [encoding, decode] of Object.entries(decoders)) {
    const answer = await ask(GROUPS, { "accept-encoding": encoding });
    assert.equal(answer.headers["content-encoding"], encoding);
    assert.equal(answer.headers.vary, "Origin, Accept-Encoding");
    assert.equal(decode(answer.bytes).toString(), plain.text);
    assert.equal(answer.headers["content-length"], String(answer.bytes.length));
    assert.ok(answer.bytes.length < plain.bytes.length / 2);
  }
  const chosen: Record<string, string | undefined> = {
    "gzip, deflate, br, zstd": "zstd",
    "gzip, br": "br",
    "GZIP;Q=1, br;q=0.9": "gzip",
    "*": "zstd",
    "*;q=0.1, zstd;q=0, br;q=0": "gzip",
    "gzip;q=0.5, identity": undefined,
    "gzip;q=0": undefined,
    "gzip;q=2": undefined,
    identity: undefined,
    "deflate, compress": undefined,
  };
  for (const [header, encoding] of Object.entries(chosen)) {
    const answer = await ask(GROUPS, { "accept-encoding": header });
    assert.equal(answer.headers["content-encoding"], encoding, header);
  }
});

test("neither short answers, nor records with an entity tag, nor one-time secrets are compressed", async () => {
  const encoded = { "accept-encoding": "gzip" };
  const { json: group } = await ask(GROUPS, {}, { body: { name: "x", description: "y".repeat(1_500) } });
  const record = await ask(`${GROUPS}/${group.id}`, encoded);
  assert.ok(record.headers.etag && record.text.length > 1024);
  const { id: deviceId } = await server.app.devices.createDevice(tenant.caller, { name: "Pump" });
  const bundle = await ask("/api/v1/device-certificates", encoded, { body: { deviceId } });
  assert.ok(bundle.status === 201 && bundle.json.privateKeyPem && bundle.text.length > 1024);
  for (const answer of [record, bundle, await ask("/healthz", encoded)]) {
    assert.deepEqual(
      [answer.headers["content-encoding"], /Accept/.test(String(answer.headers.vary))],
      [undefined, false],
    );
  }
});

test("201 names the address of the record, also when it is replayed", async () => {
  for (let i = 0; i < 2; i++) {
    const made = await ask(GROUPS, { "idempotency-key": "location" }, { body: { name: "x" } });
    assert.deepEqual([made.status, made.headers.location], [201, `${GROUPS}/${made.json.id}`]);
    const read = await ask(String(made.headers.location));
    assert.deepEqual(read.json, made.json);
  }
});

test("HEAD answers every GET with the same status and headers, compressed or not", async () => {
  const environment = await oneOfEach(server, tenant);
  const unstable = /^(date|x-request-id|ratelimit)$/;
  for (const route of routes) {
    // A stream's answer has no end, so its headers differ from those of a HEAD (api/events.test.ts).
    if (route.surface !== "public" || route.method !== "GET" || route.mediaType) continue;
    // The position after all events moves with every transaction.
    if (route.operationId === "listEvents") continue;
    const own = await newKey(server, tenant, route.scope);
    for (const encoding of ["identity", "br"]) {
      const headers = { "x-api-key": own, "accept-encoding": encoding };
      const path = environment.path(route);
      let [get, head] = [await ask(path, headers), await ask(path, headers, { method: "HEAD" })];
      // An entry that the preparation left to be written later, such as one of an audit, changes the answer once.
      while ((await ask(path, headers)).text !== get.text)
        [get, head] = [await ask(path, headers), await ask(path, headers, { method: "HEAD" })];
      const stable = (all: object) => Object.entries(all).filter(([name]) => !unstable.test(name));
      assert.deepEqual([get.status, head.status, head.text], [200, 200, ""], route.path);
      assert.deepEqual(stable(head.headers), stable(get.headers), route.path);
    }
  }
});

test("a body must be JSON in UTF-8, or a merge patch where the operation accepts one", async () => {
  const post = async (type: string, body: string | Buffer = '{"name":"x"}') => {
    const answer = await ask(GROUPS, { "content-type": type }, { method: "POST", body });
    return answer.json.error ?? answer.status;
  };
  for (const type of ["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"'])
    assert.equal(await post(type), 201, type);
  for (const type of [
    "application/json; charset=iso-8859-1",
    "application/json; charset=utf-16",
    "application/merge-patch+json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain",
    "application/jsonp",
    "json",
    "*/*",
  ])
    assert.equal(await post(type), "unsupported_media_type", type);
  const untyped = `POST ${GROUPS} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\nContent-Length:`;
  assert.match(await raw(`${untyped} 12\r\n\r\n{"name":"x"}`), /^HTTP\/1\.1 415 [\s\S]*unsupported_media_type/);
  assert.match(await raw(`${untyped} 0\r\n\r\n`), /^HTTP\/1\.1 400 [\s\S]*A JSON body is needed/);
});

test("the body of a GET or DELETE is ignored", async () => {
  const body = `Content-Type: application/json\r\nX-API-Key: ${key}\r\nContent-Length: 1\r\n`;
  const answers = await raw(`${get(GROUPS, body)}{${get("/healthz", `${body}Connection: close\r\n`)}{`);
  assert.deepEqual(statuses(answers), [200, 200]);
  const revoke = await newKey(server, tenant, "provisioning:write");
  const { id } = await server.app.enrollment.createClaim(tenant.caller, { intendedName: "x" });
  const path = `/api/v1/provisioning/claims/${id}`;
  for (const type of ["application/json", "text/plain", "what;ever"]) {
    const empty = await ask(path, { "x-api-key": revoke, "content-type": type }, { method: "DELETE" });
    assert.equal(empty.status, 204, type);
    const headers = `Host: x\r\nX-API-Key: ${revoke}\r\nContent-Type: ${type}\r\nContent-Length: 1000000\r\n`;
    const next = get("/healthz", "Connection: close\r\n");
    const full = await raw(`DELETE ${path} HTTP/1.1\r\n${headers}\r\n${"{".repeat(1_000_000)}${next}`);
    assert.deepEqual(statuses(full), [204, 200], type);
  }
});

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

test("100 Continue is sent only to clients that may send their body; any other expectation is 417", async () => {
  const post = (presented: string, length: number, expect = "100-continue") =>
    `POST ${GROUPS} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${presented}\r\nContent-Type: application/json\r\n` +
    `Expect: ${expect}\r\nContent-Length: ${length}\r\n\r\n`;
  const welcome = await raw(`${post(key, 12)}{"name":"x"}${get("/healthz", "Connection: close\r\n")}`);
  assert.deepEqual(statuses(welcome), [100, 201, 200]);
  assert.deepEqual(statuses(await raw(post("wrong", 12))), [401]);
  assert.deepEqual(statuses(await raw(post(key, 300_000))), [413]);
  const foreign = await raw(post(key, 12, "tea"));
  assert.deepEqual(statuses(foreign), [417]);
  assert.match(foreign, /"error":"expectation_failed"/);
  assert.deepEqual(statuses(await raw("GET /healthz HTTP/1.0\r\nExpect: tea\r\n\r\n")), [200]);
});

test("a request without exactly one valid Host is 400 with the error body", async () => {
  for (const hosts of ["", "Host: a\r\nHost: b\r\n", "Host: a b\r\n", "Host: a/b\r\n", "Host: u@a\r\n"]) {
    const answer = await raw(`GET /healthz HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    assert.deepEqual(statuses(answer), [400], hosts);
    assert.match(answer, /"error":"invalid_request","middleware":"router"/);
  }
  for (const host of ["", "x", "x:8443", "[::1]:8443"]) {
    const answer = await raw(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.deepEqual(statuses(answer), [200], host);
  }
});

test("pipelined requests are answered in order, and the connection stays open for the next", async () => {
  const bytes = [GROUPS, "/healthz", "/nothing", "/healthz"].map((path) => get(path)).join("");
  const answers = await raw(`${bytes}${get("/", "Connection: close\r\n")}`);
  assert.deepEqual(statuses(answers), [401, 200, 404, 200, 200]);
  assert.match(answers, /^Keep-Alive: timeout=65/m);
});

test("a target in absolute form is the same address, and no answer ever contains the requested host", async () => {
  const close = `X-API-Key: ${key}\r\nConnection: close\r\n`;
  const list = await raw(get(`https://evil.example${GROUPS}?limit=2`, close));
  assert.deepEqual(statuses(list), [200]);
  assert.match(list, /^link: <\/api\/v1\/groups\?/im);
  assert.doesNotMatch(list, /evil/);
  assert.deepEqual(statuses(await raw(get("http://evil.example", close))), [200]);
  const odd = ["OPTIONS *", "GET *", "GET healthz", "GET //healthz", "GET ftp://x/healthz", "CONNECT x:443"];
  for (const target of odd) {
    const answer = await raw(`${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.ok(
      statuses(answer).every((status) => status >= 400 && status < 500),
      `${target}: ${answer}`,
    );
    if (!target.startsWith("CONNECT")) assert.match(answer, /"error":/, target);
  }
});
