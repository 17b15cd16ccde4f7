import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SCOPES } from "../src/access/access.ts";
import { errorCodes } from "../src/api/openapi.ts";
import { type ErrorCode, PROBLEMS } from "../src/api/problem.ts";
import type { PublicRoute } from "../src/api/route.ts";
import { routes } from "../src/api/routes.ts";
import { runRaw } from "../src/db/database.ts";
import { enrollDevice, newKey, newTenant, type TestTenant } from "./harness/devices.ts";
import { type HttpAnswer, https } from "./harness/https.ts";
import { startServer, type TestServer } from "./harness/server.ts";

const publicRoutes = routes.filter((route): route is PublicRoute => route.surface === "public");
const SHIFT = { name: "x", timeZone: "UTC", startTime: "00:00", endTime: "00:00", daysOfWeek: ["mon"] };
const NOWHERE = "00000000-0000-7000-8000-000000000000";

let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server.stop());

/** Calls `route` with what its own example says, and ids that exist nowhere unless given. */
function call(route: PublicRoute, key: string | undefined, id = NOWHERE, body: unknown = route.examples.body) {
  return https(`${server.httpUrl}${route.path.replace(/\{\w+\}/, id)}`, {
    ca: server.ca,
    method: route.method,
    headers: key === undefined ? {} : { "x-api-key": key },
    ...(body === undefined ? {} : { body }),
  });
}

function assertDeclared(route: PublicRoute, answer: HttpAnswer): void {
  if (answer.status < 400) {
    assert.equal(answer.status, route.status);
    return;
  }
  const { error, middleware, message, requestId } = answer.json;
  assert.ok(errorCodes(route).includes(error), `${route.operationId} answered an undeclared ${error}`);
  assert.equal(answer.status, PROBLEMS[error as ErrorCode].status);
  assert.ok(typeof message === "string" && message.length > 0 && typeof middleware === "string");
  assert.equal(answer.headers["x-request-id"], requestId);
}

test("every operation answers 401 without a key, with rubbish, with a wrong secret and with a dead key", async () => {
  const alive = await newKey(server, tenant, "devices:read");
  const wrongSecret = await newKey(server, tenant, "devices:read");
  const dead = await server.app.access.createKey({
    tenant: tenant.slug,
    user: tenant.admin.email,
    name: "dead",
    scopes: ["devices:read"],
  });
  await server.app.access.revokeKey(dead.id);
  const presented = [undefined, "", "rubbish", `${alive}x`, `${alive},${alive}`, swapped(alive, wrongSecret), dead.key];
  for (const route of publicRoutes) {
    for (const key of presented) {
      const answer = await call(route, key);
      assert.equal(answer.status, 401, `${route.operationId} with ${key}`);
      assert.equal(answer.json.error, "invalid_api_key");
      assert.equal(answer.json.middleware, "authentication");
      assertDeclared(route, answer);
    }
  }
});

/** The public half of one key with the secret of another; its checksum is as wrong as its secret. */
function swapped(one: string, other: string): string {
  const at = one.lastIndexOf("_");
  return one.slice(0, at) + other.slice(other.lastIndexOf("_"));
}

test("a key in the query, in a cookie or twice is no key", async () => {
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

test("each operation takes exactly its own scope", async () => {
  for (const scope of SCOPES) {
    const key = await newKey(server, tenant, scope);
    for (const route of publicRoutes) {
      const answer = await call(route, key);
      const what = `${route.operationId} with ${scope}`;
      if (scope === route.scope) assert.notEqual(answer.status, 403, what);
      else {
        assert.equal(answer.status, 403, what);
        assert.equal(answer.json.error, "insufficient_scope");
        assert.equal(answer.json.middleware, "authorization");
      }
      assertDeclared(route, answer);
    }
  }
});

test("an operation's scope is judged before its input, and its rate limit before its scope", async () => {
  const key = await newKey(server, tenant, "devices:read");
  const url = `${server.httpUrl}/api/v1/groups`;
  const headers = { "x-api-key": key };
  assert.equal((await https(url, { ca: server.ca, headers, body: "{" })).json.error, "insufficient_scope");
  for (let i = 0; i < 119; i++) await https(url, { ca: server.ca, headers });
  const limited = await https(url, { ca: server.ca, headers, body: "{" });
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
  assert.equal((await https(url, { ca: server.ca, headers })).json.error, "insufficient_scope");
});

test("another tenant's id in a path is answered like one that exists nowhere, byte for byte", async () => {
  const stranger = await newTenant(server);
  const device = await enrollDevice(server, stranger);
  const claim = await server.app.enrollment.createClaim(stranger.caller, { intendedName: "theirs" });
  const group = await server.app.groups.createGroup(stranger.caller, { name: "theirs" });
  const shift = await server.app.groups.createShift(stranger.caller, SHIFT);
  const ticket = await server.app.tickets.openTicket(stranger.caller, { title: "theirs" });
  const certificates = await server.app.enrollment.listCertificates(stranger.caller, { skip: 0, limit: 1 });
  const foreign = [
    device.deviceId,
    claim.id,
    group.id,
    shift.id,
    certificates.items[0]!.id,
    ticket.id,
    ...(await watchedIds(stranger, device.deviceId)),
  ];
  const withId = publicRoutes.filter((route) => route.path.includes("{"));
  assert.ok(withId.length > 0);
  for (const route of withId) {
    const key = await newKey(server, tenant, route.scope);
    const unknown = await call(route, key);
    assert.equal(unknown.status, 404);
    for (const id of foreign) {
      const answer = await call(route, key, id);
      assert.equal(withoutRequestId(answer), withoutRequestId(unknown), `${route.operationId} ${id}`);
    }
  }
  const stillThere = await server.app.enrollment.getClaim(stranger.caller, claim.id);
  assert.equal(stillThere.status, "pending");
});

/** The ids of a threshold pack and of an anomaly that it found on the device. */
async function watchedIds({ caller }: TestTenant, deviceId: string): Promise<string[]> {
  const { monitoring, database } = server.app;
  const pack = await monitoring.createThreshold(caller, {
    name: "theirs",
    rules: [{ metric: "temperature", operator: "gt", value: 90, severity: "major" }],
  });
  const find = "SELECT uid FROM devices WHERE tenant_id = $1 AND id = $2";
  const [device] = await runRaw<{ uid: string }>(database.db, find, [caller.tenantId, deviceId]);
  const observation = { deviceUid: device!.uid, thresholdId: pack.id, rule: pack.rules[0]!, value: 91 };
  const opened = await monitoring.openAnomalies([observation]);
  return [pack.id, ...opened.map(({ id }) => id)];
}

function withoutRequestId({ status, text }: HttpAnswer): string {
  return `${status} ${text.replace(/"requestId":"[^"]*"/, "")}`;
}

test("another tenant's id in a body is answered like one that exists nowhere", async () => {
  const stranger = await newTenant(server);
  const group = await server.app.groups.createGroup(stranger.caller, { name: "theirs" });
  const key = await newKey(server, tenant, "provisioning:write", "groups:write", "device-certificates:issue");
  const post = (path: string, body: unknown) =>
    https(`${server.httpUrl}${path}`, { ca: server.ca, headers: { "x-api-key": key }, body });
  for (const id of [group.id, NOWHERE, "no-uuid"]) {
    const answer = await post("/api/v1/provisioning/claims", { intendedName: "x", intendedGroupIds: [id] });
    assert.deepEqual([answer.status, answer.json.error, answer.json.detail], [400, "invalid_request", id]);
  }
  for (const id of [stranger.deviceTypeId, NOWHERE, "no-uuid"]) {
    const answer = await post("/api/v1/provisioning/claims", { intendedName: "x", intendedDeviceTypeId: id });
    assert.deepEqual([answer.status, answer.json.error, answer.json.detail], [400, "invalid_request", id]);
  }
  for (const id of [stranger.admin.id, NOWHERE, "no-uuid"]) {
    const answer = await post("/api/v1/groups", { name: "x", memberUserIds: [id] });
    assert.deepEqual([answer.status, answer.json.error, answer.json.detail], [400, "invalid_request", id]);
  }
  const device = await enrollDevice(server, stranger);
  for (const deviceId of [device.deviceId, "nowhere"]) {
    const answer = await post("/api/v1/device-certificates", { deviceId });
    assert.deepEqual([answer.status, answer.json.error], [404, "device_not_found"]);
  }
});

test("every address answers 405 with Allow to a method it does not have, and 404 stands for no address", async () => {
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method as string);
    const allowed = methods.includes("GET") ? [...methods, "HEAD"] : methods;
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      if (allowed.includes(method)) continue;
      const answer = await https(`${server.httpUrl}${path.replace(/\{\w+\}/, "x")}`, { ca: server.ca, method });
      assert.equal(answer.status, 405, `${method} ${path}`);
      assert.deepEqual(new Set(String(answer.headers.allow).split(", ")), new Set(allowed));
      if (method !== "HEAD") assert.equal(answer.json.error, "method_not_allowed");
    }
  }
  for (const path of ["/api", "/api/v1", "/API/v1/devices", "/api/v2/devices", "/api/v1/nothing"]) {
    const answer = await https(server.httpUrl + path, { ca: server.ca, body: "<xml/>" });
    assert.deepEqual([answer.status, answer.json.error, answer.json.middleware], [404, "not_found", "router"], path);
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
