import assert from "node:assert/strict";
import { Agent } from "node:https";
import { after, before, test } from "node:test";
import type { z } from "zod";
import { SCOPES } from "../../src/access/access.ts";
import type { PublicRoute } from "../../src/api/route.ts";
import { everyRoute, routes } from "../../src/api/routes.ts";
import { MINUTE } from "../../src/lib/clock.ts";
import { rowsNaming } from "../harness/database/rows.ts";
import { newKey, newTenant, type TestTenant } from "../harness/devices.ts";
import type { HttpAnswer } from "../harness/http/http-answer.ts";
import { https } from "../harness/http/https.ts";
import { type OneOfEach, oneOfEach } from "../harness/one-of-each.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { endedKeys } from "./ended-keys.ts";

const publicRoutes = routes.filter((route): route is PublicRoute => route.surface === "public");
const NOWHERE = "00000000-0000-7000-8000-000000000000";
const MALFORMED = ["no-uuid", "' or 1=1--", "x".repeat(128)];

let server: TestServer;
let tenant: TestTenant;
let other: TestTenant;
let ours: OneOfEach;
let theirs: OneOfEach;
let almighty: string;
const agent = new Agent({ keepAlive: true, maxSockets: 6 });

before(async () => {
  server = await startServer();
  [tenant, other] = [await newTenant(server), await newTenant(server)];
  [ours, theirs] = [await oneOfEach(server, tenant), await oneOfEach(server, other)];
  almighty = await newKey(server, tenant, ...SCOPES);
  // The service's own work on the anomaly is complete before the first request.
  await server.app.notifications.runDue();
});
after(async () => {
  agent.destroy();
  await server.stop();
});

interface Asked {
  key?: string | undefined;
  id?: string;
  query?: string;
  body?: unknown;
}

let sent = 0;

/** Calls `route` with its example unless told otherwise. Now and then it advances the clock to avoid the rate limit. */
function call(route: PublicRoute, { key, id = NOWHERE, query = "", body = ours.body(route) }: Asked = {}) {
  if (++sent % 100 === 0) server.clock.advance(60_000);
  return https(`${server.httpUrl}${ours.path(route, encodeURIComponent(id))}${query}`, {
    ca: server.ca,
    agent,
    method: route.method,
    headers: key === undefined ? {} : { "x-api-key": key },
    ...(body === undefined ? {} : { body }),
  });
}

/** Returns `answer` without the fields that differ between requests; `id` is the requested id. */
function naming({ status, headers, text }: HttpAnswer, id = ""): unknown[] {
  const { date: _, ratelimit: __, "x-request-id": ___, "content-length": ____, ...rest } = headers;
  const body = text.replace(/"requestId":"[^"]*"/, "");
  return [status, rest, id ? body.replaceAll(JSON.stringify(id).slice(1, -1), "<the id>") : body];
}

test("401 invalid_api_key at every operation: key missing, malformed, unknown, revoked or expired, or its creator deactivated, deleted or password-reset", async () => {
  const ended = await endedKeys(server, tenant);
  for (const route of publicRoutes) {
    const answers = [...ended].map(async ([why, key]) => [why, await call(route, { key })] as const);
    const [[, first] = [], ...others] = await Promise.all(answers);
    const { status, json } = first!;
    assert.deepEqual([status, json.error, json.middleware], [401, "invalid_api_key", "authentication"]);
    assert.match(json.message as string, /; send the key in the header X-API-Key\.$/);
    for (const [why, answer] of others)
      assert.deepEqual(naming(answer), naming(first!), `${route.operationId}, ${why}`);
  }
});

test("a key in the query, in a cookie or in two headers is refused", async () => {
  const key = await newKey(server, tenant, "devices:read");
  const url = `${server.httpUrl}/api/v1/devices`;
  const ways = [
    https(`${url}?x-api-key=${key}`, { ca: server.ca }),
    https(url, { ca: server.ca, headers: { cookie: `x-api-key=${key}` } }),
    https(url, { ca: server.ca, headers: { authorization: `Bearer ${key}` } }),
    https(url, { ca: server.ca, headers: { "x-api-key": [key, key] } }),
  ];
  for (const answer of await Promise.all(ways)) assert.equal(answer.status, 401);
});

test("each operation accepts exactly its own scope: every scope and wildcard at every operation", async () => {
  const wildcards = [
    "devices:*",
    "groups:*",
    "shifts:*",
    "thresholds:*",
    "anomalies:*",
    "tickets:*",
    "webhooks:*",
    "commands:*",
  ];
  for (const granted of [...SCOPES, ...wildcards]) {
    const key = await newKey(server, tenant, granted);
    const answers = publicRoutes.map(async (route) => [route, await call(route, { key })] as const);
    for (const [route, { status, json }] of await Promise.all(answers)) {
      const what = `${route.operationId} with ${granted}`;
      const wanted = [route.scope, `${route.scope.split(":")[0]}:*`];
      if (wanted.includes(granted)) {
        // Besides the scope of events, each kind of event needs the scope that reads it.
        const reached = route.scope === "events:read" && json?.detail === "devices:read";
        assert.ok(status < 300 || reached || ["validation", "handler"].includes(json.middleware), what);
      } else {
        assert.deepEqual([status, json?.error, json?.middleware], [403, "insufficient_scope", "authorization"], what);
        assert.equal(json.detail, route.scope);
      }
    }
  }
});

test("an operation's scope is checked before its input, and its rate limit before its scope", async () => {
  const key = await newKey(server, tenant, "devices:read");
  const url = `${server.httpUrl}/api/v1/groups`;
  const headers = { "x-api-key": key };
  assert.equal((await https(url, { ca: server.ca, agent, headers, body: "{" })).json.error, "insufficient_scope");
  for (let i = 0; i < 119; i++) await https(url, { ca: server.ca, agent, headers });
  const limited = await https(url, { ca: server.ca, agent, headers, body: "{" });
  assert.equal(limited.status, 429);
  assert.deepEqual(
    [limited.json.error, limited.json.middleware, limited.headers["retry-after"], limited.headers.ratelimit],
    ["rate_limited", "rate-limit", "60", '"key";r=0;t=60'],
  );
  assert.equal(limited.headers["ratelimit-policy"], '"key";q=120;w=60');
  const other = await newKey(server, tenant, "devices:read");
  const untouched = await https(`${server.httpUrl}/api/v1/devices`, { ca: server.ca, headers: { "x-api-key": other } });
  assert.equal(untouched.status, 200);
  assert.equal(untouched.headers.ratelimit, '"key";r=119;t=60');
  server.clock.advance(60_000);
  assert.equal((await https(url, { ca: server.ca, agent, headers })).json.error, "insufficient_scope");
});

/** Returns what no request of another tenant may change: the tenant's rows, and rows that refer to its records. */
const rowsOfTheirs = () => rowsNaming(server.app.database, [other.caller.tenantId, ...Object.values(theirs.ids)]);

/**
 * Asserts that `ask` gets the same answer for every foreign id: the other tenant's, of any kind, one that does not
 * exist, and an invalid one. Nothing of the other tenant changes.
 */
async function assertAlike(what: string, ask: (id: string) => Promise<HttpAnswer>): Promise<HttpAnswer> {
  const unknown = await ask(NOWHERE);
  const foreign = [...Object.entries(theirs.ids), ...MALFORMED.map((id) => ["malformed", id] as const)];
  const answers = foreign.map(async ([kind, id]) => [kind, id, await ask(id)] as const);
  for (const [kind, id, answer] of await Promise.all(answers))
    assert.deepEqual(naming(answer, id), naming(unknown, NOWHERE), `${what}: ${kind} ${id}`);
  return unknown;
}

test("another tenant's id of any kind, in the path of any operation, is answered like an unknown one", async () => {
  assert.equal(Object.keys(theirs.ids).length, 16);
  const before = await rowsOfTheirs();
  for (const route of publicRoutes.filter(({ path }) => path.includes("{"))) {
    const unknown = await assertAlike(route.operationId, (id) => call(route, { key: almighty, id }));
    assert.equal(unknown.status, 404, route.operationId);
    for (const [kind, id] of Object.entries(ours.ids)) {
      if (route.path.startsWith(`/api/v1/${kind}/`)) continue;
      const answer = await call(route, { key: almighty, id });
      assert.deepEqual(naming(answer), naming(unknown), `${route.operationId}: our ${kind}`);
    }
  }
  assert.deepEqual(await rowsOfTheirs(), before);
});

/** Returns the fields of an object's schema, also if the object is optional. */
function fieldsOf(shape: z.ZodType | undefined): string[] {
  const inner = shape && "unwrap" in shape ? (shape.unwrap as () => z.ZodType)() : shape;
  return inner && "shape" in inner ? Object.keys(inner.shape as object) : [];
}

test("another tenant's id of any kind, in any id field of a body, is answered like an unknown one", async () => {
  const before = await rowsOfTheirs();
  const seen: string[] = [];
  for (const route of publicRoutes) {
    for (const field of fieldsOf(route.body).filter((name) => /Ids?$/.test(name) && !NAMES.has(name))) {
      // Unknown devices have an outcome each; the dry runs of a tenant wait for each other.
      if (route.operationId === "createCommands" || route.operationId === "dryRunThreshold") continue;
      seen.push(`${route.operationId}.${field}`);
      const unknown = await assertAlike(`${route.operationId}.${field}`, (id) => {
        const body = { ...(ours.body(route) as object), [field]: field.endsWith("s") ? [id] : id };
        return call(route, { key: almighty, id: ours.path(route).split("/")[4] ?? "", body });
      });
      const { status, json } = unknown;
      if (route.operationId === "issueDeviceCertificate")
        assert.deepEqual([status, json.error], [404, "device_not_found"]);
      // Filters: an unknown record matches nothing.
      else if (route.operationId === "queryTelemetry") assert.deepEqual([status, json.items], [200, []]);
      else assert.deepEqual([status, json.error, json.detail], [400, "invalid_request", NOWHERE], seen.at(-1));
    }
  }
  for (const field of ID_FIELDS) assert.ok(seen.includes(field), `${field} was not found by its name`);
  assert.deepEqual(await rowsOfTheirs(), before);
});

/** Ids that the client chooses. */
const NAMES = new Set(["externalId", "clientId"]);

/**
 * Fields that the search by name must find. The search itself includes new fields; this list only proves that it works.
 */
const ID_FIELDS = [
  "createAbsence.userId",
  "assignShift.shiftId",
  "changeTicket.anomalyId",
  "changeTicket.assigneeUserId",
  "changeTicket.deviceId",
  "changeTicket.groupId",
  "createClaim.intendedDeviceTypeId",
  "createClaim.intendedGroupIds",
  "createDevice.deviceTypeId",
  "createDevice.groupIds",
  "createGroup.memberUserIds",
  "createOverride.replacesUserId",
  "createOverride.userId",
  "createWebhook.groupId",
  "issueDeviceCertificate.deviceId",
  "openTicket.anomalyId",
  "openTicket.assigneeUserId",
  "openTicket.deviceId",
  "openTicket.groupId",
  "replaceDevice.deviceTypeId",
  "replaceDevice.groupIds",
  "replaceDevice.thresholdIds",
];

test("another tenant's id of any kind, in any filter of a list, finds nothing, like an unknown one", async () => {
  const lists = publicRoutes.filter(({ method, path }) => method === "GET" && !path.includes("{"));
  let filters = 0;
  for (const route of lists) {
    for (const field of fieldsOf(route.query).filter((name) => name === "q" || name.endsWith("Id"))) {
      filters++;
      const ask = (id: string) => call(route, { key: almighty, query: `?${field}=${encodeURIComponent(id)}` });
      const unknown = await assertAlike(`${route.operationId}?${field}`, ask);
      assert.deepEqual([unknown.status, unknown.json.items, unknown.json.total ?? 0], [200, [], 0]);
    }
    const whole = await call(route, { key: almighty, query: "?limit=200" });
    for (const id of Object.values(theirs.ids)) assert.ok(!whole.text.includes(id), `${route.operationId} shows ${id}`);
  }
  assert.ok(filters >= 10, "the search by name finds the filters");
});

test("every address answers 405 with Allow to a method it does not have, and no address answers 404", async () => {
  for (const path of new Set(everyRoute.map((route) => route.path))) {
    // The budget of an address without credentials is for requests in a time.
    server.clock.advance(MINUTE);
    const methods = everyRoute.filter((route) => route.path === path).map((route) => route.method as string);
    const allowed = methods.includes("GET") ? [...methods, "HEAD"] : methods;
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
      if (allowed.includes(method)) continue;
      const answer = await https(`${server.httpUrl}${path.replace(/\{\w+\}/, "x")}`, { ca: server.ca, agent, method });
      assert.equal(answer.status, 405, `${method} ${path}`);
      assert.deepEqual(new Set(String(answer.headers.allow).split(", ")), new Set(allowed));
      if (method !== "HEAD") assert.equal(answer.json.error, "method_not_allowed");
    }
  }
  for (const path of ["/api", "/api/v1", "/API/v1/devices", "/api/v2/devices", "/api/v1/nothing"]) {
    const answer = await https(server.httpUrl + path, { ca: server.ca, body: "<xml/>" });
    assert.deepEqual([answer.status, answer.json.error, answer.json.middleware], [404, "not_found", "router"], path);
    assert.equal((await https(server.httpUrl + path, { ca: server.ca, method: "PROPFIND" })).status, 404, path);
  }
});

test("HEAD is GET without the body", async () => {
  const key = await newKey(server, tenant, "devices:read");
  const options = { ca: server.ca, headers: { "x-api-key": key } };
  const get = await https(`${server.httpUrl}/api/v1/devices`, options);
  const head = await https(`${server.httpUrl}/api/v1/devices`, { ...options, method: "HEAD" });
  assert.deepEqual([head.status, head.text], [200, ""]);
  assert.equal(head.headers["content-length"], get.headers["content-length"]);
});
