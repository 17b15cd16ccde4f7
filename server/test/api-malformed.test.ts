import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect } from "node:tls";
import { newKey, newTenant, type TestTenant } from "./harness/devices.ts";
import { https } from "./harness/https.ts";
import { rawHttp, statuses } from "./harness/raw-http.ts";
import { startServer, type TestServer } from "./harness/server.ts";

let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer({ env: { MUSTER_DEVICE_REQUESTS_PER_MINUTE: "0" } });
  tenant = await newTenant(server);
});
after(() => server.stop());

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

/** Bodies as they come off the wire; each must be refused with 4xx by every POST. */
const BODIES: Record<string, string | Buffer> = {
  empty: "",
  "an array": "[]",
  "a string": '"x"',
  null: "null",
  "a number": "1e999",
  truncated: '{"intendedName":"x"',
  "trailing text": '{"intendedName":"x"} x',
  "a BOM": '\ufeff{"intendedName":"x"}',
  NUL: '{"intendedName":"a\\u0000b","name":"a\\u0000b"}',
  "half a surrogate pair": '{"intendedName":"\\ud83d","name":"\\ud83d"}',
  "not UTF-8": Buffer.from('{"intendedName":"\xff","name":"\xff"}', "latin1"),
  "a prototype": '{"intendedName":"x","name":"x","__proto__":{"maxUses":100}}',
  "a constructor": '{"intendedName":"x","name":"x","constructor":{"prototype":{"admin":true}}}',
  "deep nesting": nested(2_000),
  "mass assignment": '{"intendedName":"x","name":"x","id":"1","tenantId":"2","status":"used","createdBy":"me"}',
  "a name that is an object": '{"intendedName":{"$ne":1},"name":{"$ne":1}}',
  "a name of blanks": '{"intendedName":"   ","name":"   "}',
  "a name with a newline": '{"intendedName":"a\\nb","name":"a\\nb"}',
  "a long name": JSON.stringify({ intendedName: "x".repeat(5_000), name: "x".repeat(5_000) }),
};

/** Numbers of every shape for fields that are integers; all refused. */
const NUMBERS = ["-1", "0", "101", "1.5", "1e400", "-0.1", "1e20", '"5"', "null", "true", "[5]", "9007199254740993"];

test("no malformed body is anything but 4xx with the error body, at any POST", async () => {
  const scopes = ["provisioning:write", "groups:write", "device-certificates:issue"];
  const paths = [
    "/api/v1/provisioning/claims",
    "/api/v1/groups",
    "/api/v1/device-certificates",
    "/api/provisioning/claim",
    "/api/provisioning/cert/renew",
  ];
  for (const path of paths) {
    const key = await newKey(server, tenant, ...scopes);
    for (const [name, body] of Object.entries(BODIES)) {
      const headers = { "x-api-key": key, "content-type": "application/json" };
      const answer = await https(server.httpUrl + path, { ca: server.ca, headers, body, method: "POST" });
      assert.ok(answer.status >= 400 && answer.status < 500, `${path} ${name}: ${answer.status} ${answer.text}`);
      assert.deepEqual(Object.keys(answer.json).slice(0, 4).sort(), ["error", "message", "middleware", "requestId"]);
    }
  }
});

test("numbers of every shape are 400 where an integer with limits belongs", async () => {
  const key = await newKey(server, tenant, "provisioning:write");
  for (const field of ["maxUses", "expiresInMinutes"]) {
    for (const number of NUMBERS) {
      const answer = await https(`${server.httpUrl}/api/v1/provisioning/claims`, {
        ca: server.ca,
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: `{"intendedName":"x","${field}":${field === "expiresInMinutes" && number === "101" ? 1441 : number}}`,
      });
      assert.equal(answer.status, 400, `${field} ${number}: ${answer.text}`);
    }
  }
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

test("addresses and filters of every shape are 4xx or an empty list, never 5xx", async () => {
  const key = await newKey(server, tenant, "provisioning:*".replace("*", "read"), "devices:read", "groups:read");
  const texts = [
    "%00",
    "%ff",
    "%ZZ",
    "%ed%a0%80",
    "..%2f..%2fetc%2fpasswd",
    "'%20or%201=1--",
    "%",
    "_",
    "a".repeat(250),
    "a".repeat(5_000),
  ];
  for (const text of texts) {
    for (const path of [
      `devices/${text}`,
      `groups/${text}`,
      `provisioning/claims/${text}`,
      `devices?q=${text}`,
      `groups?q=${text}`,
      `devices?groupId=${text}`,
    ]) {
      const answer = await https(`${server.httpUrl}/api/v1/${path}`, { ca: server.ca, headers: { "x-api-key": key } });
      assert.ok(answer.status < 500, `${path.slice(0, 80)}: ${answer.status}`);
      if (answer.status === 200) assert.deepEqual(answer.json.items, []);
      else assert.equal(answer.headers["x-request-id"], answer.json.requestId);
    }
  }
});

test("what is not HTTP, or hides a second request, gets one 4xx and a closed connection", async () => {
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

test("a client's own request id is kept when it is sane, and replaced when it is not", async () => {
  const ask = async (id: string) =>
    (await https(`${server.httpUrl}/healthz`, { ca: server.ca, headers: { "x-request-id": id } })).headers[
      "x-request-id"
    ];
  assert.equal(await ask("trace-0af7651916cd43dd"), "trace-0af7651916cd43dd");
  for (const id of ["", "a b", "x".repeat(65), '{"a":1}', "<script>"]) assert.notEqual(await ask(id), id);
});

test("a body without end is cut off soon after its refusal, whoever sends it", async () => {
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
      assert.ok(ms < 10_000, `${path} ${status}: ${ms} ms`);
    }),
  );
});
