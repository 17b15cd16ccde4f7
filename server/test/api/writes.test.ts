import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ApiWrite } from "../../src/audit/audit.ts";
import { DAY, HOUR } from "../../src/lib/clock.ts";
import { newKey, newTenant, type TestTenant } from "../harness/devices.ts";
import type { HttpAnswer } from "../harness/http/http-answer.ts";
import { type HttpOptions, https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";

let server: TestServer;
let tenant: TestTenant;
let key: string;

const SCOPES = [
  "groups:*",
  "provisioning:read",
  "provisioning:write",
  "device-certificates:issue",
  "device-certificates:revoke",
];

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  key = await newKey(server, tenant, ...SCOPES);
});
after(() => server.stop());

function ask(path: string, { headers, ...options }: HttpOptions = {}): Promise<HttpAnswer> {
  const own = { "x-api-key": key, ...headers };
  return https(`${server.httpUrl}/api/v1/${path}`, { ca: server.ca, ...options, headers: own });
}

const post = (path: string, body: unknown, idempotencyKey?: string) =>
  ask(path, { body, ...(idempotencyKey ? { headers: { "idempotency-key": idempotencyKey } } : {}) });

async function entries(resourceId: string): Promise<ApiWrite[]> {
  const all = (await server.app.access.listApiWrites(tenant.caller, { skip: 0, limit: 500 })).items;
  return all.filter((entry) => entry.resourceId === resourceId);
}

test("a write has one entry in the API audit log, with key, operation, resource, result, address and request", async () => {
  const answer = await post("groups", { name: "Pump hall" });
  const [entry, ...others] = await entries(answer.json.id);
  assert.deepEqual(others, []);
  assert.deepEqual(
    { ...entry, id: "" },
    {
      id: "",
      at: server.clock.now(),
      keyId: key.split("_")[1],
      operation: "createGroup",
      resource: "group",
      resourceId: answer.json.id,
      result: "created",
      address: "127.0.0.1",
      requestId: answer.headers["x-request-id"],
    },
  );
});

test("issuing and revoking record the certificate's id, serial and fingerprint, and never its key", async () => {
  const { id: deviceId } = await server.app.devices.createDevice(tenant.caller, { name: "Pump" });
  const { json: bundle } = await post("device-certificates", { deviceId });
  for (let i = 0; i < 2; i++) await ask(`device-certificates/${bundle.id}`, { method: "DELETE" });
  const recorded = await entries(bundle.id);
  assert.deepEqual(
    recorded.map(({ operation, result }) => [operation, result]),
    [
      ["revokeDeviceCertificate", "unchanged"],
      ["revokeDeviceCertificate", "revoked"],
      ["issueDeviceCertificate", "created"],
    ],
  );
  const { id, serialNumber, fingerprintSha256 } = bundle;
  for (const { certificate } of recorded) assert.deepEqual(certificate, { id, serialNumber, fingerprintSha256 });
  assert.ok(!JSON.stringify(recorded).includes("PRIVATE KEY"));
});

test("a claim's revocation is recorded; a refused request or a read is not", async () => {
  const { json: claim } = await post("provisioning/claims", { intendedName: "Gateway" });
  for (let i = 0; i < 2; i++) await ask(`provisioning/claims/${claim.id}`, { method: "DELETE" });
  await ask(`provisioning/claims/${claim.id}`);
  const results = (await entries(claim.id)).map(({ result }) => result);
  assert.deepEqual(results, ["unchanged", "revoked", "created"]);
  const count = async () => (await server.app.access.listApiWrites(tenant.caller, { skip: 0, limit: 500 })).total;
  const before = await count();
  assert.equal((await post("groups", { name: "x", memberUserIds: ["nobody"] })).status, 400);
  assert.equal((await ask("provisioning/claims/x", { method: "DELETE" })).status, 404);
  assert.equal(await count(), before);
});

test("a POST repeated under its Idempotency-Key is executed once and gets the same answer", async () => {
  const first = await post("groups", { name: "Night shift" }, "retry-1");
  server.clock.advance(HOUR);
  const again = await post("groups", { name: "Night shift" }, "retry-1");
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.equal(again.text, first.text);
  assert.deepEqual([first.headers["idempotent-replayed"], again.headers["idempotent-replayed"]], [undefined, "true"]);
  assert.equal((await ask("groups?q=Night")).json.total, 1);
  assert.equal((await entries(first.json.id)).length, 1);
});

test("an Idempotency-Key identifies one request of one API key, for a day", async () => {
  const { json: first } = await post("groups", { name: "Early" }, "retry-2");
  const other = await post("groups", { name: "Late" }, "retry-2");
  assert.deepEqual([other.status, other.json.error], [422, "idempotency_key_reused"]);
  const claim = await post("provisioning/claims", { intendedName: "x" }, "retry-2");
  assert.deepEqual([claim.status, claim.json.error], [422, "idempotency_key_reused"]);

  const otherKey = await newKey(server, tenant, "groups:write");
  const headers = { "x-api-key": otherKey, "idempotency-key": "retry-2" };
  assert.equal((await ask("groups", { body: { name: "Late" }, headers })).status, 201);

  server.clock.advance(DAY);
  const { json: later } = await post("groups", { name: "Early" }, "retry-2");
  assert.notEqual(later.id, first.id);
  server.clock.advance(DAY);
  await server.app.audit.prune();
  assert.equal((await post("groups", { name: "Early" }, "retry-2")).status, 201);
});

test("an answer that showed a secret is never repeated: the repetition names the created resource", async () => {
  const { json: claim } = await post("provisioning/claims", { intendedName: "Gateway" }, "secret-1");
  const again = await post("provisioning/claims", { intendedName: "Gateway" }, "secret-1");
  assert.deepEqual([again.status, again.json.error, again.json.resourceId], [409, "already_processed", claim.id]);
  assert.ok(!again.text.includes(claim.claimCode));

  const { id: deviceId } = await server.app.devices.createDevice(tenant.caller, { name: "Pump" });
  const { json: bundle } = await post("device-certificates", { deviceId }, "secret-2");
  const bundleAgain = await post("device-certificates", { deviceId }, "secret-2");
  assert.deepEqual([bundleAgain.status, bundleAgain.json.resourceId], [409, bundle.id]);
  assert.ok(!/PRIVATE KEY|pkcs12/.test(bundleAgain.text));
});

test("a refused request reserves no Idempotency-Key: the corrected one may use it", async () => {
  const refused = await post("groups", { name: "x", memberUserIds: ["nobody"] }, "mended");
  assert.equal(refused.status, 400);
  assert.equal((await post("groups", { name: "x" }, "mended")).status, 201);
});

test("twenty equal simultaneous requests under one Idempotency-Key create one group", async () => {
  const asked = Array.from({ length: 20 }, () => post("groups", { name: "Contested" }, "race"));
  const answers = await Promise.all(asked);
  assert.deepEqual(
    answers.map(({ status, text }) => [status, text]),
    answers.map(() => [201, answers[0]!.text]),
  );
  assert.equal((await ask("groups?q=Contested")).json.total, 1);
});

test("a malformed Idempotency-Key is 400, and other methods ignore it", async () => {
  for (const idempotencyKey of ["a b", "x".repeat(256), "é"]) {
    const answer = await post("groups", { name: "x" }, idempotencyKey);
    assert.deepEqual(
      [answer.status, answer.json.error, answer.json.detail],
      [400, "invalid_request", "Idempotency-Key"],
    );
  }
  assert.equal((await ask("groups", { headers: { "idempotency-key": "a b" } })).status, 200);
});

test("a single resource has an ETag, and a matching If-None-Match is answered 304 without a body", async () => {
  const { json: group } = await post("groups", { name: "Tagged" });
  const first = await ask(`groups/${group.id}`);
  const etag = String(first.headers.etag);
  assert.match(etag, /^"[\w-]+"$/);
  const again = await ask(`groups/${group.id}`, { headers: { "if-none-match": etag } });
  assert.deepEqual([again.status, again.text, again.headers.etag], [304, "", etag]);
  assert.equal((await ask(`groups/${group.id}`, { headers: { "if-none-match": '"other"' } })).status, 200);
  assert.equal((await ask("groups")).headers.etag, undefined);
});

test("Link leads from page to page, with the filters, and is absent on the last", async () => {
  for (let i = 0; i < 5; i++) await post("groups", { name: `Linked & ${i}` });
  let path: string | undefined = `groups?q=${encodeURIComponent("Linked &")}&limit=2`;
  const names: string[] = [];
  while (path) {
    const { json, headers } = await ask(path);
    names.push(...json.items.map(({ name }: { name: string }) => name));
    path = /^<\/api\/v1\/([^>]+)>; rel="next"$/.exec(String(headers.link ?? ""))?.[1];
  }
  assert.deepEqual(
    names,
    [4, 3, 2, 1, 0].map((i) => `Linked & ${i}`),
  );
  assert.equal((await ask("groups?skip=100000")).headers.link, undefined);
});

test("a PUT equal to the stored record does not change its version and is logged as unchanged", async () => {
  const headers = { "x-api-key": await newKey(server, tenant, "devices:*") };
  const { id } = await server.app.devices.createDevice(tenant.caller, { name: "Pump" });
  const put = (body: unknown, more = {}) =>
    ask(`devices/${id}`, { method: "PUT", body, headers: { ...headers, ...more } });
  const first = await put({ name: "Feed pump", metadata: { hall: 3, floor: [1, 2] } });
  server.clock.advance(1_000);
  const again = await put(
    { metadata: { floor: [1, 2], hall: 3 }, name: "Feed pump" },
    { "if-match": String(first.headers.etag) },
  );
  assert.deepEqual([again.status, again.headers.etag, again.text], [200, first.headers.etag, first.text]);
  assert.deepEqual(
    (await entries(id)).map(({ result }) => result),
    ["unchanged", "updated"],
  );
  assert.equal(
    (await put({ name: "Feed pump", metadata: { hall: 4 } }, { "if-match": String(first.headers.etag) })).status,
    200,
  );
  assert.equal(
    (await put({ name: "Pump" }, { "if-match": String(first.headers.etag) })).json.error,
    "precondition_failed",
  );
  assert.equal((await put({ name: "Pump" }, { "if-match": "unquoted" })).json.error, "invalid_request");
  assert.equal((await put({ name: "Pump" }, { "if-none-match": "*" })).status, 412);
});

test("a refused request of a known key is logged at info under its request id; an unauthenticated one is not", async () => {
  const refused = await ask("groups/nowhere");
  const line = server.logs.find((each) => each.includes(refused.json.requestId) && each.includes('"refused"'));
  assert.ok(line);
  const { actor, route, status, error, level } = JSON.parse(line);
  assert.deepEqual(
    [actor, route, status, error],
    [`apikey:${key.split("_")[1]}`, "/api/v1/groups/:id", 404, "not_found"],
  );
  const unauthenticated = await ask("groups", { headers: { "x-api-key": "rubbish" } });
  assert.match(String(unauthenticated.headers["www-authenticate"]), /^ApiKey /);
  const theirs = server.logs.find(
    (each) => each.includes(unauthenticated.json.requestId) && each.includes('"refused"'),
  );
  assert.notEqual(theirs && JSON.parse(theirs).level, level);
});

test("simultaneous equal requests get the same answer, also if the first excludes a second", async () => {
  const { id: deviceId } = await server.app.devices.createDevice(tenant.caller, { name: "Pump" });
  await post("device-certificates", { deviceId });
  const bundles = await Promise.all(Array.from({ length: 8 }, () => post("device-certificates", { deviceId }, "last")));
  const made = bundles.find(({ status }) => status === 201)!.json.id;
  const others = bundles.filter(({ status }) => status !== 201).map(({ json }) => [json.error, json.resourceId]);
  assert.deepEqual(others, Array(7).fill(["already_processed", made]));

  const tickets = await newKey(server, tenant, "tickets:write");
  const ticket = { title: "Bearing", deviceId };
  const headers = { "x-api-key": tickets, "idempotency-key": "one" };
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask("tickets", { body: ticket, headers })));
  assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
  assert.equal(answers[0]!.status, 201);
});
