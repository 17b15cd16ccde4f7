import assert from "node:assert/strict";
import { Agent } from "node:https";
import { after, before, beforeEach, test } from "node:test";
import { SCOPES } from "../../src/access/access.ts";
import { exampleOf } from "../../src/api/openapi/error-examples.ts";
import { errorCodes } from "../../src/api/openapi/failures.ts";
import { BODY_LIMIT } from "../../src/api/pipeline/pipeline.ts";
import { type ErrorCode, PROBLEMS } from "../../src/api/problem.ts";
import type { Route } from "../../src/api/route.ts";
import { everyRoute, routes } from "../../src/api/routes.ts";
import { MINUTE } from "../../src/lib/clock.ts";
import { installFaultHook } from "../../src/lib/fault-points.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { addAnomaly } from "../harness/anomalies.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { newKey, newTenant, redeem, redemption, type TestTenant } from "../harness/devices.ts";
import { UNDECLARED } from "../harness/http/declared-errors.ts";
import type { HttpAnswer } from "../harness/http/http-answer.ts";
import { https } from "../harness/http/https.ts";
import { type OneOfEach, oneOfEach } from "../harness/one-of-each.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { refuseWrites, renameTables } from "./broken-database.ts";
import { altered, type ErrorWays, errorWays, QUOTAS } from "./error-ways.ts";

/** Produces every declared error by its operation. The test names are the conditions of spec 7 if it has the code. */
const NOWHERE = "00000000-0000-7000-8000-000000000000";
const DEVICE_REQUESTS = 100;
/** Operations that one key may call in a minute, some of them three times. */
const CALLED_IN_A_MINUTE = 30;

let server: TestServer;
let tenant: TestTenant;
let environment: OneOfEach;
let ways: ErrorWays;
let almighty: string;
/** The device ids that the next enrollments draw. */
const drawn: string[] = [];
const failing = new Set<string>();
const agent = new Agent({ keepAlive: true, maxSockets: 6 });

before(async () => {
  const ids = { ...randomIds, deviceId: () => drawn.shift() ?? randomIds.deviceId() };
  server = await startServer({ ids, env: { MUSTER_DEVICE_REQUESTS_PER_MINUTE: String(DEVICE_REQUESTS) } });
  tenant = await newTenant(server);
  environment = await oneOfEach(server, tenant);
  ways = errorWays(server, tenant, environment, (id, asked) => ask(route(id), asked));
  almighty = await newKey(server, tenant, ...SCOPES);
  installFaultHook((point) => (failing.has(point) ? Promise.reject(new Error(`${point} fails`)) : undefined));
});
after(async () => {
  agent.destroy();
  await server.stop();
});
// The clock advances past every rate limit.
beforeEach(() => server.clock.advance(MINUTE));

interface Asked {
  key?: string | undefined;
  path?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Calls `route` with its example and existing records, unless told otherwise. */
async function ask(route: Route, asked: Asked = {}): Promise<HttpAnswer> {
  const { path = environment.path(route), body = bodyOf(route) } = asked;
  const key = "key" in asked ? asked.key : await ways.keyFor(route, almighty);
  return https(server.httpUrl + path, {
    ca: server.ca,
    agent,
    method: route.method,
    headers: { ...(route.surface === "public" && key !== undefined ? { "x-api-key": key } : {}), ...asked.headers },
    ...(body === undefined ? {} : { body }),
    ...(route.operationId === "renewCertificate"
      ? { cert: environment.device.fullchain, key: environment.device.key }
      : {}),
  });
}

/** Returns the example, or a body that can be sent repeatedly in an environment of one of each. */
function bodyOf(route: Route): unknown {
  const { deviceId } = environment.device;
  if (route.operationId === "openTicket") return { title: "Grease it" };
  if (route.operationId === "issueDeviceCertificate") return { deviceId, acknowledgeSelfEnrollmentOverride: true };
  return environment.body(route);
}

/** The codes that each operation has answered. */
const met = new Map<string, Set<string>>(routes.map(({ operationId }) => [operationId, new Set()]));

/** Makes every operation that declares `code` answer it, each by `produce`, and checks the documented form. */
async function everyOneAnswers(code: ErrorCode, produce: (route: Route) => Promise<HttpAnswer>): Promise<void> {
  const declaring = routes.filter((route) => errorCodes(route).includes(code));
  assert.ok(declaring.length > 0);
  for (const [n, route] of declaring.entries()) {
    if (code !== "rate_limited" && n % CALLED_IN_A_MINUTE === 0) server.clock.advance(MINUTE);
    const { status, json, headers, text } = await produce(route);
    assert.deepEqual([status, json?.error], [PROBLEMS[code].status, code], `${route.operationId}: ${text}`);
    if (code !== "invalid_request") assert.equal(json.middleware, PROBLEMS[code].middleware, route.operationId);
    assert.ok(typeof json.message === "string" && json.message.length > 0);
    assert.equal(json.requestId, headers["x-request-id"]);
    const known = new Set([...Object.keys(exampleOf(code)), "detail", "details"]);
    assert.deepEqual(
      Object.keys(json).filter((field) => !known.has(field)),
      [],
      `${route.operationId} answers ${code} with fields that no document names`,
    );
    const waits = [429, 502, 503].includes(status);
    assert.equal(/^[1-9]\d*$/.test(String(headers["retry-after"])), waits, `Retry-After of ${status}`);
    met.get(route.operationId)!.add(code);
  }
}

/** {@link everyOneAnswers} for operations that reach the code in different ways. */
const eachAnswers = (code: ErrorCode, ways: Record<string, () => Promise<HttpAnswer>>) =>
  everyOneAnswers(code, ({ operationId }) => {
    assert.ok(ways[operationId], `how does ${operationId} come to ${code}?`);
    return ways[operationId]();
  });

const route = (operationId: string): Route => routes.find((each) => each.operationId === operationId)!;
const issue = (deviceId: string, more = {}) => ask(route("issueDeviceCertificate"), { body: { deviceId, ...more } });
const newClaim = (more = {}) => server.app.enrollment.createClaim(tenant.caller, { intendedName: "x", ...more });
const newDevice = (id?: string) => server.app.devices.createDevice(tenant.caller, { name: "Pump", ...(id && { id }) });
const redeemCode = async (claimCode: string, more = {}) => redeem(server, (await redemption(claimCode, more)).body);

test("401 invalid_api_key: key missing", () =>
  everyOneAnswers("invalid_api_key", (each) => ask(each, { key: undefined })));

test("403 insufficient_scope: key lacks the required scope", async () => {
  const [one, other] = [await newKey(server, tenant, "groups:read"), await newKey(server, tenant, "devices:read")];
  const lacks = (each: Route) => "scope" in each && each.scope !== "groups:read";
  await everyOneAnswers("insufficient_scope", (each) => ask(each, { key: lacks(each) ? one : other }));
});

test("403 address_not_allowed: key of a service account, used from elsewhere", async () => {
  const key = await ways.keyForElsewhere();
  await everyOneAnswers("address_not_allowed", (each) => ask(each, { key }));
});

test("400 invalid_request: a body, a parameter or an id that cannot be one", () =>
  everyOneAnswers("invalid_request", async (each) => {
    const ways: Asked[] = [
      ...(each.params ? [{ path: environment.path(each, "%00") }] : []),
      ...(each.query ? [{ path: `${each.path.replace(/\{\w+\}/, NOWHERE)}?colour=blue` }] : []),
      ...(each.body ? [{ body: { colour: "blue" } }] : []),
    ];
    const answers = await Promise.all(ways.map((way) => ask(each, way)));
    return answers.find(({ json }) => json?.error !== "invalid_request") ?? answers[0]!;
  }));

test("400 invalid_request: unknown group id in intendedGroupIds (id in detail); invalid status on GET /device-certificates", async () => {
  const body = { intendedName: "x", intendedGroupIds: [NOWHERE] };
  const claim = await ask(route("createClaim"), { body });
  assert.deepEqual([claim.status, claim.json.error, claim.json.detail], [400, "invalid_request", NOWHERE]);
  const list = await ask(route("listDeviceCertificates"), { path: "/api/v1/device-certificates?status=expired" });
  assert.deepEqual([list.status, list.json.error, list.json.detail], [400, "invalid_request", "status"]);
});

test("400 invalid_claim_request: expiresInMinutes above the cap; message names the cap", async () => {
  await everyOneAnswers("invalid_claim_request", async (each) => {
    if (each.operationId === "redeemClaim") return ways.redeemForAnother();
    const answer = await ask(each, { body: { intendedName: "x", expiresInMinutes: 1441 } });
    assert.match(answer.json.message, /1440.*24 hours/);
    return answer;
  });
});

test("400 invalid_csr: the signing request is none", () =>
  eachAnswers("invalid_csr", {
    redeemClaim: async () => redeemCode((await newClaim()).claimCode, { csr: "rubbish" }),
    renewCertificate: () => ask(route("renewCertificate"), { body: { csr: "rubbish" } }),
  }));

test("401 invalid_claim_code: the code is not known", () =>
  eachAnswers("invalid_claim_code", { redeemClaim: () => redeemCode("CLAIM-0000-0000-0000") }));

test("401 reenrollment_proof_required: claim redemption by a device that enrolled before, without a valid certificate over mTLS", () =>
  eachAnswers("reenrollment_proof_required", {
    redeemClaim: async () =>
      redeemCode((await newClaim()).claimCode, { hardwareFingerprint: environment.device.fingerprint }),
  }));

test("401 cert_invalid: renewal with a revoked or invalid certificate", () =>
  eachAnswers("cert_invalid", {
    renewCertificate: () => {
      const body = bodyOf(route("renewCertificate"));
      return https(`${server.httpUrl}/api/provisioning/cert/renew`, { ca: server.ca, body });
    },
  }));

test("404 not_found: resource id not in the tenant", () =>
  everyOneAnswers("not_found", (each) => ask(each, { path: environment.path(each, NOWHERE) })));

test("404 device_not_found: POST /device-certificates, no such device in the tenant", () =>
  eachAnswers("device_not_found", { issueDeviceCertificate: () => issue("nowhere") }));

test("404 certificate_not_found: DELETE /device-certificates/{id}, not a certificate in the tenant", () =>
  everyOneAnswers("certificate_not_found", (each) => ask(each, { path: environment.path(each, NOWHERE) })));

test("409 device_self_enrolled: device holds an active self-enrolled certificate; resend with acknowledgeSelfEnrollmentOverride true to issue", async () => {
  const { deviceId } = environment.device;
  await eachAnswers("device_self_enrolled", { issueDeviceCertificate: () => issue(deviceId) });
  assert.equal((await issue(deviceId, { acknowledgeSelfEnrollmentOverride: true })).status, 201);
});

test("409 device_cert_cap_reached: device at the per-device limit of platform certificates; body also carries activeCount and maxActivePlatformCertsPerDevice", async () => {
  const { id } = await newDevice();
  assert.deepEqual([(await issue(id)).status, (await issue(id)).status], [201, 201]);
  await eachAnswers("device_cert_cap_reached", { issueDeviceCertificate: () => issue(id) });
  const { activeCount, maxActivePlatformCertsPerDevice } = (await issue(id)).json;
  assert.deepEqual([activeCount, maxActivePlatformCertsPerDevice], [2, 2]);
});

test("409 client_id_in_use: on claim redemption and on bundle issuance", async () => {
  const gateway = (clientId: string) =>
    server.app.connections.createMqttClient(tenant.caller, { clientId, username: clientId });
  await eachAnswers("client_id_in_use", {
    redeemClaim: async () => {
      const { claimCode } = await newClaim();
      await gateway("gateway-1");
      drawn.push("gateway-1");
      return redeemCode(claimCode);
    },
    issueDeviceCertificate: async () => {
      await newDevice("gateway-2");
      await gateway("gateway-2");
      return issue("gateway-2");
    },
    ...ways.clientIdInUse,
  });
});

test("409 username_taken: another client has it", () => eachAnswers("username_taken", ways.usernameTaken));

test("409 last_admin: a tenant keeps an admin", () => eachAnswers("last_admin", ways.lastAdmin));

test("409 in_use: a device has the type or is in the group", async () => eachAnswers("in_use", await ways.inUse()));

test("409 claim_exhausted: claim reached maxUses", () =>
  eachAnswers("claim_exhausted", {
    redeemClaim: async () => {
      const { claimCode } = await newClaim();
      assert.equal((await redeemCode(claimCode)).status, 200);
      return redeemCode(claimCode);
    },
  }));

test("409 quota_exceeded: the tenant has as many as its quota allows", async () => {
  const { claimCode } = await newClaim();
  const setQuotas = async (value?: number) => {
    for (const quota of QUOTAS) await server.app.access.setQuota(tenant.caller, quota, value);
  };
  await ways.fillCommands();
  await setQuotas(0);
  await eachAnswers("quota_exceeded", {
    ...ways.quotaExceeded,
    redeemClaim: () => redeemCode(claimCode),
  });
  await setQuotas();
  await ways.cancelCommands();
});

test("410 claim_expired: claim lifetime elapsed", async () => {
  const { claimCode } = await newClaim({ expiresInMinutes: 5 });
  server.clock.advance(5 * MINUTE);
  await eachAnswers("claim_expired", { redeemClaim: () => redeemCode(claimCode) });
});

test("410 cursor_expired: the events after the cursor are no longer stored", () =>
  everyOneAnswers("cursor_expired", (each) =>
    ask(each, { path: "/api/v1/events/history?kinds=device.&cursor=9999999999999999.0.0" }),
  ));

test("410 claim_revoked: claim revoked", async () => {
  const { id, claimCode } = await newClaim();
  await server.app.enrollment.revokeClaim(tenant.caller, id);
  await eachAnswers("claim_revoked", { redeemClaim: () => redeemCode(claimCode) });
});

test("409 invalid_transition: a ticket's status does not lead there", () =>
  eachAnswers("invalid_transition", ways.invalidTransition));

test("409 webhook_inactive: the receiver has not confirmed the webhook", async () => {
  const { id } = (await ask(route("createWebhook"))).json;
  await everyOneAnswers("webhook_inactive", (each) => ask(each, { path: environment.path(each, id) }));
});

test("409 already_exists: an anomaly has an unfinished ticket, a device has the id, a group the webhook", async () => {
  const where = { database: server.app.database, clock: server.clock };
  const anomalyId = await addAnomaly(where, tenant.caller, environment.device.deviceId);
  await server.app.tickets.openTicket(tenant.caller, { title: "x", anomalyId });
  const taken = await ways.alreadyExists();
  await eachAnswers("already_exists", {
    ...taken,
    createDevice: () => ask(route("createDevice"), { body: { id: environment.device.deviceId, name: "x" } }),
    openTicket: () => ask(route("openTicket"), { body: { title: "x", anomalyId } }),
    changeTicket: () => ask(route("changeTicket"), { body: { anomalyId } }),
  });
});

test("412 precondition_failed: the record is not the one that If-Match names", () =>
  everyOneAnswers("precondition_failed", (each) => ask(each, { headers: { "if-match": '"another"' } })));

test("409 already_processed: carried out before under this Idempotency-Key, and no answer to give again; 422 idempotency_key_reused: used for another request", async () => {
  await everyOneAnswers("already_processed", async (each) => {
    const headers = { "idempotency-key": each.operationId };
    const body = bodyOf(each);
    const first = await ask(each, { headers, body });
    assert.equal(first.status, each.status, first.text);
    // The same state as after a crash between the work and the storage of its answer.
    const forget = "UPDATE idempotency_keys SET answer = NULL WHERE idempotency_key = $1";
    if (!each.secret) await runSql(server.app.database.db, forget, [each.operationId]);
    return ask(each, { headers, body });
  });
  await everyOneAnswers("idempotency_key_reused", (each) => {
    const headers = { "idempotency-key": each.operationId };
    if (bodyOf(each) === undefined) return ask(each, { headers, path: environment.path(each, NOWHERE) });
    const [[field, value] = []] = Object.entries(bodyOf(each) as object);
    const body = { ...(bodyOf(each) as object), [field!]: altered(value, NOWHERE) };
    return ask(each, { headers, body });
  });
});

test("431 headers_too_large: a query with more names than fit into the headers", () =>
  everyOneAnswers("headers_too_large", (each) => ask(each, { path: `${each.path}?deviceIds=${"a,".repeat(16_384)}` })));

test("413 payload_too_large: a byte more than the operation takes", () =>
  everyOneAnswers("payload_too_large", (each) => ask(each, { body: " ".repeat(BODY_LIMIT[each.surface] + 1) })));

test("415 unsupported_media_type: a body that is not JSON", () =>
  everyOneAnswers("unsupported_media_type", (each) => ask(each, { headers: { "content-type": "text/plain" } })));

test("429 rate_limited: rate limit exceeded; header Retry-After in seconds", async () => {
  const key = await newKey(server, tenant, "devices:read");
  await Promise.all(Array.from({ length: 120 }, () => ask(route("listGroups"), { key })));
  const unlimited = Array.from({ length: DEVICE_REQUESTS }, () => ask(route("redeemClaim"), { body: {} }));
  for (const { status } of await Promise.all(unlimited)) assert.equal(status, 400);
  await everyOneAnswers("rate_limited", (each) => ask(each, { key }));
});

test("502 issuance_failed: issuance failed; retry shortly", async () => {
  const [{ id }, { claimCode }] = [await newDevice(), await newClaim()];
  failing.add("sign.before");
  await eachAnswers("issuance_failed", {
    issueDeviceCertificate: () => issue(id),
    redeemClaim: () => redeemCode(claimCode),
    renewCertificate: () => ask(route("renewCertificate")),
  });
  failing.clear();
  assert.deepEqual([(await issue(id)).status, (await redeemCode(claimCode)).status], [201, 200]);
});

test("408 request_timeout: the body does not come in time", async () => {
  const declaring = routes.filter((each) => errorCodes(each).includes("request_timeout"));
  const asked = await Promise.all(
    declaring.map(async (each) => [each, await ways.askedForBody(each, almighty)] as const),
  );
  // All requests wait for their bodies by now, so all wait for the same check for late requests.
  const listener = server.app.api.server;
  const { requestTimeout, headersTimeout } = listener;
  Object.assign(listener, { requestTimeout: 1, headersTimeout: 1 });
  const answers = new Map<Route, Promise<HttpAnswer>>(asked.map(([each, { answer }]) => [each, answer]));
  await Promise.all(answers.values());
  Object.assign(listener, { requestTimeout, headersTimeout });
  await everyOneAnswers("request_timeout", (each) => answers.get(each)!);
});

test("500 internal_error: an unexpected failure is answered without internal text", async () => {
  await renameTables(server, "", "_gone");
  failing.add("stream.open");
  await everyOneAnswers("internal_error", async (each) => {
    const answer = await ask(each);
    assert.equal(answer.json?.message, exampleOf("internal_error").message, `${each.operationId}: ${answer.text}`);
    assert.doesNotMatch(answer.text, /gone|relation|select/i);
    return answer;
  });
  await renameTables(server, "_gone", "");
  failing.clear();
  assert.equal((await ask(route("listDevices"))).status, 200);
});

test("503 catalog_unavailable: the database takes no writes; retry shortly", async () => {
  const { claimCode } = await newClaim();
  await refuseWrites(server, true);
  await everyOneAnswers("catalog_unavailable", (each) =>
    each.operationId === "redeemClaim" ? redeemCode(claimCode) : ask(each),
  );
  await refuseWrites(server, false);
});

test("the errors that the operations have answered above are exactly those that they declare", () => {
  const declared = routes.map((each) => [each.operationId, errorCodes(each).toSorted()]);
  const answered = [...met].map(([operationId, codes]) => [operationId, [...codes].sort()]);
  assert.deepEqual(answered, declared);
  const codes = new Set<string>(everyRoute.flatMap(errorCodes));
  const others = Object.keys(PROBLEMS).filter((code) => !codes.has(code));
  assert.deepEqual(others.sort(), UNDECLARED.toSorted());
});
