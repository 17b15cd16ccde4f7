import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent } from "node:https";
import { after, before, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { SCOPES } from "../../../src/access/access.ts";
import { parseJsonBody } from "../../../src/api/http/json-body.ts";
import { errorCodes } from "../../../src/api/openapi/openapi.ts";
import { type ErrorCode, PROBLEMS } from "../../../src/api/problem.ts";
import type { Route } from "../../../src/api/route.ts";
import { routes } from "../../../src/api/routes.ts";
import { newKey, newTenant, type TestTenant } from "../../harness/devices.ts";
import type { HttpAnswer } from "../../harness/http/http-answer.ts";
import { https } from "../../harness/http/https.ts";
import { type OneOfEach, oneOfEach } from "../../harness/one-of-each.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { BODIES, ENCODINGS, PARAMETERS, spoiled } from "./hostile.ts";
import { rawHttp, statuses } from "./raw-http.ts";

let server: TestServer;
let tenant: TestTenant;
let environment: OneOfEach;
let almighty: string;
let agent: Agent;

before(async () => {
  server = await startServer({ env: { MUSTER_DEVICE_REQUESTS_PER_MINUTE: "0" } });
  tenant = await newTenant(server);
  environment = await oneOfEach(server, tenant);
  almighty = await newKey(server, tenant, ...SCOPES);
  // The certificate is for renewal; other operations ignore it.
  agent = new Agent({
    keepAlive: true,
    maxSockets: 6,
    cert: environment.device.fullchain,
    key: environment.device.key,
  });
});
after(async () => {
  agent?.destroy();
  await server?.stop();
});

let sent = 0;

/** Sends `body` unchanged. Now and then it advances the clock by a window to avoid the rate limit. */
function send(route: Route, path: string, body?: string | Buffer, type = "application/json"): Promise<HttpAnswer> {
  if (++sent % 100 === 0) server.clock.advance(60_000);
  return https(server.httpUrl + path, {
    ca: server.ca,
    agent,
    method: route.method,
    headers: { ...(route.surface === "public" ? { "x-api-key": almighty } : {}), "content-type": type },
    body,
  });
}

/** Runs `jobs`, a few at a time. */
async function all(jobs: Iterable<() => Promise<void>>): Promise<void> {
  const queue = jobs[Symbol.iterator]();
  const worker = async () => {
    for (let job = queue.next(); !job.done; job = queue.next()) await job.value();
  };
  await Promise.all(Array.from({ length: 6 }, worker));
}

/** Asserts an answer with the shape that `route` documents, or an error that it declares, never a 5xx. */
function assertSound(route: Route, answer: HttpAnswer, what: string): void {
  const reported = `${route.operationId}, ${what}: ${answer.status} ${answer.text.slice(0, 300)}`;
  assert.ok(answer.status < 500, reported);
  if (answer.status < 400) {
    assert.equal(answer.status, route.status, reported);
    if (route.mediaType === undefined) route.response?.parse(answer.json);
    return;
  }
  const { error, middleware, message, requestId } = answer.json;
  assert.ok(errorCodes(route).includes(error), `undeclared: ${reported}`);
  assert.equal(PROBLEMS[error as ErrorCode].status, answer.status, reported);
  assert.ok(typeof message === "string" && typeof middleware === "string", reported);
  assert.equal(requestId, answer.headers["x-request-id"], reported);
}

/** Returns whether the schema alone refuses it, whatever the use case would answer. */
function isRefusedByShape(route: Route, text: string | Buffer): boolean {
  try {
    return !route.body!.safeParse(parseJsonBody(Buffer.from(text as string))).success;
  } catch {
    return true;
  }
}

test("every operation answers its example as documented, with existing ids", async () => {
  for (const route of routes.filter(({ surface }) => surface === "public")) {
    if (route.method === "DELETE") continue;
    const body = environment.body(route);
    const answer = await send(route, environment.path(route), body === undefined ? undefined : JSON.stringify(body));
    // The environment's device is self-enrolled; other examples have changed its ticket and its anomaly.
    const isChanged = answer.status === 409 || route.operationId === "snoozeAnomaly";
    if (!isChanged) assert.equal(answer.status, route.status, `${route.operationId} ${answer.text}`);
    assertSound(route, answer, "its example");
  }
});

test("any hostile value in any body field of any operation gets a declared answer", async () => {
  let count = 0;
  function* jobs() {
    for (const route of routes.filter(({ body }) => body !== undefined)) {
      // Bodies that are malformed as a whole meet the parser, which differs only in the limit.
      const whole = ["changeTicket", "redeemClaim"].includes(route.operationId) ? Object.entries(BODIES) : [];
      for (const [what, text] of [...spoiled(environment.body(route) as object), ...whole]) {
        yield async () => {
          const answer = await send(route, environment.path(route), text);
          assertSound(route, answer, what);
          if (isRefusedByShape(route, text)) assert.ok(answer.status >= 400, `${route.operationId}, ${what} passed`);
          count++;
        };
      }
    }
  }
  await all(jobs());
  assert.ok(count > 500, `${count} requests`);
});

test("any hostile value in a path or query parameter gets a declared answer", async () => {
  function* jobs() {
    for (const route of routes) {
      const body = route.body && JSON.stringify(environment.body(route));
      for (const address of addresses(route)) {
        yield async () => {
          const answer = await send(route, address, body);
          // An invalid address never reaches the route.
          if (answer.json?.middleware !== "router") assertSound(route, answer, address.slice(0, 120));
          else assert.ok([400, 404].includes(answer.status), `${address.slice(0, 120)}: ${answer.status}`);
        };
      }
    }
  }
  await all(jobs());
});

function* addresses(route: Route): Generator<string> {
  if (route.path.includes("{")) for (const text of [...PARAMETERS, ...ENCODINGS]) yield environment.path(route, text);
  if (route.method !== "GET") return;
  const path = environment.path(route);
  const more = path.includes("?") ? "&" : "?";
  const names = route.query && "shape" in route.query ? Object.keys(route.query.shape as object) : [];
  for (const name of names) for (const text of PARAMETERS) yield `${path}${more}${name}=${text}`;
  const [name = "colour"] = names;
  for (const text of ENCODINGS) yield `${path}${more}${name}=${text}`;
  yield* [`${name}=1&${name}=2`, name, "colour=blue", "__proto__=1&[]=2"].map((query) => path + more + query);
}

test("unusual headers are refused or ignored", async () => {
  const route = routes.find(({ operationId }) => operationId === "createGroup")!;
  const change = routes.find(({ operationId }) => operationId === "changeTicket")!;
  const texts = ["", " ", "x".repeat(300), "a b", "\u00ff", '"', "W/", '"",,"', "*, *", "\t"];
  for (const text of texts) {
    for (const name of ["idempotency-key", "if-match", "if-none-match", "x-request-id", "accept-encoding", "origin"]) {
      server.clock.advance(1_000);
      for (const [each, body] of [
        [route, '{"name":"x"}'],
        [change, "{}"],
      ] as const) {
        const headers = { "x-api-key": almighty, [name]: text };
        const url = server.httpUrl + environment.path(each);
        const answer = await https(url, { ca: server.ca, agent, method: each.method, headers, body });
        assertSound(each, answer, `${name}: ${text}`);
      }
    }
  }
});

const MIB = 1024 * 1024;

/** Sends `total` bytes in chunks until the server disconnects, and returns its answer. */
async function flood(route: Route, key: string, total: number): Promise<string> {
  const socket = connect({ port: server.httpPort, ca: server.ca, servername: "localhost" });
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  const headers = `Host: localhost\r\nX-API-Key: ${key}\r\nContent-Type: application/json`;
  socket.write(
    `${route.method} ${environment.path(route)} HTTP/1.1\r\n${headers}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(0x10000, 32), Buffer.from("\r\n")]);
  for (let left = total; left > 0 && socket.writable; left -= 0x10000) {
    if (!socket.write(chunk)) await drained(socket);
  }
  if (!socket.closed) {
    socket.end("0\r\n\r\n");
    await once(socket, "close");
  }
  return answer;
}

/** Resolves when more may be written, or when the peer has stopped reading. */
function drained(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    socket.once("drain", done).once("close", done);
  });
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Returns the bytes in use without garbage. The second collection frees what the first leaves of buffers. */
function live(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test("100 MB in chunks, and bodies that decompress to as much, do not consume memory", async () => {
  const bomb = gzipSync(Buffer.alloc(100 * MIB, 32));
  const before = live();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, live());
  }, 200);
  try {
    for (const id of ["createGroup", "getGroup", "redeemClaim"]) {
      const route = routes.find(({ operationId }) => operationId === id)!;
      for (const key of [almighty, "nobody"]) {
        const [status] = statuses(await flood(route, key, 100 * MIB));
        assert.ok(status !== undefined && status < 500, `${id}: ${status}`);
      }
    }
    for (const encoding of ["gzip", "br", "x-gzip", "gzip, gzip"]) {
      const headers = { "x-api-key": almighty, "content-type": "application/json", "content-encoding": encoding };
      const answer = await https(`${server.httpUrl}/api/v1/groups`, { ca: server.ca, headers, body: bomb });
      assert.equal(answer.json.error, "unsupported_media_type");
    }
  } finally {
    clearInterval(watch);
  }
  const grown = Math.round((Math.max(most, live()) - before) / MIB);
  assert.ok(grown < 32, `${grown} MiB more at the worst`);
});

test("a number outside the claim's limits is invalid_claim_request, and the message names the limit", async () => {
  const key = await newKey(server, tenant, "provisioning:write");
  const ask = (body: unknown) =>
    https(`${server.httpUrl}/api/v1/provisioning/claims`, { ca: server.ca, headers: { "x-api-key": key }, body });
  for (const [field, value, limit] of [
    ["expiresInMinutes", 1441, "1440"],
    ["expiresInMinutes", 4, "5"],
    ["maxUses", 101, "100"],
    ["maxUses", 0, "1"],
  ] as const) {
    const answer = await ask({ intendedName: "x", [field]: value });
    assert.deepEqual([answer.status, answer.json.error], [400, "invalid_claim_request"]);
    assert.match(answer.json.message, new RegExp(limit));
  }
});

test("skip and limit out of range are clamped and echoed; anything but an integer is 400", async () => {
  const key = await newKey(server, tenant, "provisioning:read", "device-certificates:read", "devices:read");
  const ask = (path: string, query: string) =>
    https(`${server.httpUrl}/api/v1/${path}?${query}`, { ca: server.ca, headers: { "x-api-key": key } });
  const effective = async (path: string, query: string) => {
    const { status, json } = await ask(path, query);
    return [status, json.skip, json.limit];
  };
  assert.deepEqual(await effective("provisioning/claims", ""), [200, 0, 100]);
  assert.deepEqual(await effective("provisioning/claims", "limit=501&skip=-1"), [200, 0, 500]);
  assert.deepEqual(await effective("device-certificates", ""), [200, 0, 50]);
  assert.deepEqual(await effective("device-certificates", "limit=0&skip=7"), [200, 7, 1]);
  assert.deepEqual(await effective("device-certificates/audit", `limit=${"9".repeat(300)}`), [200, 0, 200]);
  assert.deepEqual(await effective("devices", `skip=${"9".repeat(300)}`), [200, 1_000_000_000, 50]);
  for (const bad of [
    "limit=ten",
    "limit=",
    "limit=1.5",
    "limit=1e2",
    "limit=0x10",
    "limit=5&limit=6",
    "limit=+",
    "skip=NaN",
    "skip=%00",
    "limit=%205",
  ])
    assert.equal((await ask("devices", bad)).status, 400, bad);
  assert.equal((await ask("devices", "colour=blue")).json.detail, "colour");
  const status = await ask("device-certificates", "status=expired");
  assert.deepEqual([status.status, status.json.error, status.json.detail], [400, "invalid_request", "status"]);
});

test("a refusal names the first problem and lists all of them, each with its JSON Pointer", async () => {
  const headers = { "x-api-key": await newKey(server, tenant, "groups:write", "devices:read") };
  const body = { name: 5, "a/b": 1, channels: [{ type: "fax", target: "" }] };
  const { json } = await https(`${server.httpUrl}/api/v1/groups`, { ca: server.ca, headers, body });
  assert.deepEqual([json.middleware, json.detail], ["validation", "a/b"]);
  assert.deepEqual(json.details, [
    { in: "body", pointer: "/name", message: "must be a string" },
    { in: "body", pointer: "/channels/0/type", message: 'must be one of "email", "webhook", "integration"' },
    { in: "body", pointer: "/channels/0/target", message: "must not be empty" },
    { in: "body", pointer: "/a~1b", message: "is an unknown field" },
  ]);
  const query = "limit=x&colour=blue&connectivity=no";
  const list = await https(`${server.httpUrl}/api/v1/devices?${query}`, { ca: server.ca, headers });
  assert.deepEqual(
    list.json.details.map(({ in: part, pointer }: Record<string, string>) => [part, pointer]),
    [
      ["query", "/connectivity"],
      ["query", "/limit"],
      ["query", "/colour"],
    ],
  );
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, n]));
  const flood = await https(`${server.httpUrl}/api/v1/groups`, { ca: server.ca, headers, body: many });
  assert.equal(flood.json.details.length, 50);
});

test("malformed HTTP, or a hidden second request, gets one 4xx and a closed connection", async () => {
  const post = "POST /api/provisioning/claim HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
  const bad = {
    rubbish: "\x16\x03\x01 rubbish\r\n\r\n",
    "two lengths": `${post}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}`,
    "length and chunks": `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
    "a bad chunk": `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    "a space before the colon": `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
    "no Host": "GET /healthz HTTP/1.1\r\n\r\n",
    "headers without end": `GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(70_000)}\r\n\r\n`,
  };
  for (const [name, bytes] of Object.entries(bad)) {
    const answer = await rawHttp(server, bytes);
    assert.match(answer, /^HTTP\/1\.1 4\d\d /, name);
    assert.equal(statuses(answer).length, 1, name);
  }
});

test("a client's own request id is kept if it is valid, and otherwise replaced", async () => {
  const ask = async (id: string) =>
    (await https(`${server.httpUrl}/healthz`, { ca: server.ca, headers: { "x-request-id": id } })).headers[
      "x-request-id"
    ];
  assert.equal(await ask("trace-0af7651916cd43dd"), "trace-0af7651916cd43dd");
  for (const id of ["", "a b", "x".repeat(65), '{"a":1}', "<script>"]) assert.notEqual(await ask(id), id);
});

test("an endless body is cut off soon after its refusal, with and without a key", async () => {
  const endless = (path: string, key: string) =>
    new Promise<{ answer: string; ms: number }>((resolve) => {
      const socket = connect({ port: Number(new URL(server.httpUrl).port), ca: server.ca, servername: "localhost" });
      const since = performance.now();
      let answer = "";
      socket.on("data", (chunk) => {
        answer += chunk;
      });
      socket.on("error", () => undefined);
      const drip = () => {
        if (socket.writable) socket.write("1\r\n \r\n", () => setTimeout(drip, 20));
      };
      socket.on("secureConnect", () => {
        const headers = `Host: localhost\r\nX-API-Key: ${key}\r\nContent-Type: application/json`;
        socket.write(`POST ${path} HTTP/1.1\r\n${headers}\r\nTransfer-Encoding: chunked\r\n\r\n`, drip);
      });
      socket.on("close", () => resolve({ answer, ms: performance.now() - since }));
    });
  const readOnly = await newKey(server, tenant, "groups:read");
  const cases: [path: string, key: string, status: number][] = [
    ["/api/v1/groups", "mstr_nobody", 401],
    ["/api/v1/groups", readOnly, 403],
    ["/api/v1/nowhere", "", 404],
    ["/api/v1/groups/x", "", 405],
  ];
  await Promise.all(
    cases.map(async ([path, key, status]) => {
      const { answer, ms } = await endless(path, key);
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
      assert.ok(ms < 25_000, `${path} ${status}: ${ms} ms`);
    }),
  );
});
