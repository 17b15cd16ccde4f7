import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { Agent } from "node:https";
import { after, before, test } from "node:test";
import { makeCsr } from "../../../agent/src/csr.ts";
import { SCOPES, SPECIFIED_SCOPES } from "../../src/access/access.ts";
import { routes } from "../../src/api/routes.ts";
import { DAY, SECOND } from "../../src/lib/clock.ts";
import { addAnomaly } from "../harness/anomalies.ts";
import { enrollDevice, newKey, newTenant, redeem, redemption, renew, type TestTenant } from "../harness/devices.ts";
import { ADDITIONS, MORE } from "../harness/http/additional-operations.ts";
import type { HttpAnswer } from "../harness/http/http-answer.ts";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/**
 * The statements of section 4 of the specification about the HTTPS surface, in its words. The errors of section 7 are
 * in api/errors.test.ts, keys and scopes of section 5 in api/routes.test.ts.
 */
const NOWHERE = "00000000-0000-7000-8000-000000000000";

let server: TestServer;
let tenant: TestTenant;
let key: string;
const agent = new Agent({ keepAlive: true, maxSockets: 6 });

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  key = await newKey(server, tenant, ...SCOPES);
});
after(async () => {
  agent.destroy();
  await server.stop();
});

let sent = 0;

/** Sends a request with a key that has all scopes, e.g. `ask("POST /groups", {…})`. */
function ask(what: string, body?: unknown, { as = key } = {}): Promise<HttpAnswer> {
  if (++sent % 100 === 0) server.clock.advance(60 * SECOND);
  const [method, path] = what.split(" ");
  const headers = { "x-api-key": as };
  return https(`${server.httpUrl}/api/v1${path}`, { ca: server.ca, agent, method: method!, headers, body });
}

/**
 * {@link ask} for a request that must succeed.
 * @returns the body of the answer
 */
async function done(what: string, body?: unknown) {
  const { status, text, json } = await ask(what, body);
  assert.ok(status < 300, `${what}: ${status} ${text}`);
  return json;
}

const newDevice = async (id?: string, { caller, deviceTypeId } = tenant) =>
  (await server.app.devices.createDevice(caller, { name: "Pump", deviceTypeId, ...(id && { id }) })).id;

const SHIFT = { timeZone: "UTC", startTime: "08:00", endTime: "16:00", daysOfWeek: ["mon"] };
const newShift = (name: string) => server.app.groups.createShift(tenant.caller, { name, ...SHIFT });

const errorOf = ({ status, json }: HttpAnswer) => [status, json.error, json.detail];

const TABLE = `
GET /devices devices:read
GET /devices/{id} devices:read
PUT /devices/{id} devices:write
GET /groups groups:read
GET /groups/{id} groups:read
POST /groups groups:write
POST /groups/{groupId}/shifts shifts:write
GET /shifts shifts:read
GET /shifts/{id} shifts:read
GET /thresholds thresholds:read
GET /thresholds/{id} thresholds:read
POST /thresholds thresholds:write
GET /anomalies anomalies:read
GET /anomalies/{id} anomalies:read
POST /anomalies/{id}/acknowledge anomalies:write
GET /tickets tickets:read
GET /tickets/{id} tickets:read
POST /tickets tickets:write
PATCH /tickets/{id} tickets:write
GET /provisioning/claims provisioning:read
GET /provisioning/claims/{id} provisioning:read
POST /provisioning/claims provisioning:write
DELETE /provisioning/claims/{id} provisioning:write
GET /device-certificates device-certificates:read
GET /device-certificates/audit device-certificates:read
POST /device-certificates device-certificates:issue
DELETE /device-certificates/{id} device-certificates:revoke`;

const SPECIFIED = TABLE.trim().split("\n");

test("4.1 Public API (prefix /api/v1, header X-API-Key): method, path, scope of the 27 operations; additions have other scopes", () => {
  const ours = routes.flatMap((route) =>
    route.surface === "public" ? [`${route.method} ${route.path.replace("/api/v1", "")} ${route.scope}`] : [],
  );
  assert.equal(SPECIFIED.length, 27);
  const additions = ADDITIONS.trim().split("\n");
  assert.deepEqual(ours.toSorted(), [...SPECIFIED, ...additions, ...MORE.trim().split("\n")].sort());
  const specified = new Set(SPECIFIED.map((operation) => operation.split(" ")[2]));
  assert.deepEqual([...specified].sort(), SPECIFIED_SCOPES.toSorted());
  for (const operation of additions) assert.ok(!specified.has(operation.split(" ")[2]), operation);
});

test("4.1 write endpoints create or update one resource each: a threshold pack, a notification group, an existing shift's assignment, a maintenance ticket", async () => {
  const shift = await newShift("Days");
  const rules = [{ metric: "temperature", operator: "gt", value: 90, severity: "major" }];
  const deviceId = await newDevice();
  const pack = await done("POST /thresholds", { name: "Bearings", rules });
  const group = await done("POST /groups", { name: "Pump hall" });
  assert.deepEqual((await done(`POST /groups/${group.id}/shifts`, { shiftId: shift.id })).shiftIds, [shift.id]);
  const ticket = await done("POST /tickets", { title: "Grease it" });
  await done(`PATCH /tickets/${ticket.id}`, { priority: "high" });
  await done(`PUT /devices/${deviceId}`, { name: "Pump 2" });
  const writes = (await server.app.access.listApiWrites(tenant.caller, { skip: 0, limit: 100 })).items;
  assert.deepEqual(writes.map(({ resource, resourceId, result }) => [resource, resourceId, result]).reverse(), [
    ["threshold", pack.id, "created"],
    ["group", group.id, "created"],
    ["group", group.id, "updated"],
    ["ticket", ticket.id, "created"],
    ["ticket", ticket.id, "updated"],
    ["device", deviceId, "updated"],
  ]);
});

test("4.2 GET /anomalies: optional query parameters deviceId, status, skip (default 0), limit (default 50, max 200)", async () => {
  const where = { database: server.app.database, clock: server.clock };
  const [one, other] = [await newDevice(), await newDevice()];
  const first = await addAnomaly(where, tenant.caller, one);
  const second = await addAnomaly(where, tenant.caller, one);
  const third = await addAnomaly(where, tenant.caller, other);
  await done(`POST /anomalies/${second}/acknowledge`, {});
  const found = async (query: string) =>
    (await done(`GET /anomalies${query}`)).items.map(({ id }: { id: string }) => id);
  assert.deepEqual(await found(""), [third, second, first]);
  assert.deepEqual(await found(`?deviceId=${one}`), [second, first]);
  assert.deepEqual(await found(`?deviceId=${one}&status=open`), [first]);
  assert.deepEqual(await found("?status=acknowledged"), [second]);
  assert.deepEqual(await found("?skip=1&limit=1"), [second]);
});

test("4.3 claimCode, form CLAIM-XXXX-XXXX-XXXX: only in the response of POST /provisioning/claims", async () => {
  const created = await ask("POST /provisioning/claims", { intendedName: "Gateway" });
  assert.equal(created.status, 201);
  const { claimCode, id } = created.json;
  assert.match(claimCode, /^CLAIM(-[0-9A-Z]{4}){3}$/);
  for (const path of [`/provisioning/claims/${id}`, "/provisioning/claims", "/device-certificates/audit"])
    assert.doesNotMatch((await ask(`GET ${path}`)).text, new RegExp(`claimCode|${claimCode}`), path);
});

test("4.3 any id in intendedGroupIds that is not a group in the tenant: 400 invalid_request, with the id in detail", async () => {
  const { id } = await done("POST /groups", { name: "Ours" });
  const answer = await ask("POST /provisioning/claims", { intendedName: "x", intendedGroupIds: [id, NOWHERE] });
  assert.deepEqual(errorOf(answer), [400, "invalid_request", NOWHERE]);
  assert.equal((await ask("POST /provisioning/claims", { intendedName: "x", intendedGroupIds: [id] })).status, 201);
});

test("4.3, 8 expiresInMinutes 5 to 1440, default 60; maxUses 1 to 100, default 1; beyond: 400 invalid_claim_request, and the message names the cap (24 hours)", async () => {
  const create = (more: object) => ask("POST /provisioning/claims", { intendedName: "x", ...more });
  const lifetime = ({ json }: HttpAnswer) => (Date.parse(json.expiresAt) - Date.parse(json.createdAt)) / 60_000;
  const usual = await create({});
  assert.deepEqual([lifetime(usual), usual.json.maxUses], [60, 1]);
  for (const minutes of [5, 1440]) assert.equal(lifetime(await create({ expiresInMinutes: minutes })), minutes);
  for (const uses of [1, 100]) assert.equal((await create({ maxUses: uses })).json.maxUses, uses);
  for (const [more, limits] of [
    [{ expiresInMinutes: 1441 }, /5 to 1440 \(24 hours\)/],
    [{ expiresInMinutes: 4 }, /5 to 1440/],
    [{ maxUses: 101 }, /1 to 100/],
    [{ maxUses: 0 }, /1 to 100/],
  ] as const) {
    const answer = await create(more);
    assert.deepEqual([answer.status, answer.json.error], [400, "invalid_claim_request"]);
    assert.match(answer.json.message, limits);
  }
});

test("4.4 GET /provisioning/claims: status (pending, used, revoked); DELETE is idempotent", async () => {
  const own = await newTenant(server);
  const as = await newKey(server, own, "provisioning:read", "provisioning:write");
  const [pending, used, revoked] = await Promise.all(
    [1, 2, 3].map(async (n) => (await ask("POST /provisioning/claims", { intendedName: `${n}` }, { as })).json),
  );
  assert.equal((await redeem(server, (await redemption(used.claimCode)).body)).status, 200);
  for (const claim of [revoked, revoked, used])
    assert.equal((await ask(`DELETE /provisioning/claims/${claim.id}`, undefined, { as })).status, 204);
  for (const [status, claim] of Object.entries({ pending, used, revoked })) {
    const { json } = await ask(`GET /provisioning/claims?status=${status}`, undefined, { as });
    assert.deepEqual([json.total, json.items[0].id, json.items[0].status], [1, claim.id, status]);
  }
  const other = await ask("GET /provisioning/claims?status=expired", undefined, { as });
  assert.deepEqual(errorOf(other), [400, "invalid_request", "status"]);
});

test("4.2, 4.4, 4.5, 4.6, 8 every list is { items, total, skip, limit }, newest first; skip and limit default, are clamped, and echo the effective values", async () => {
  const lists = SPECIFIED.map((operation) => operation.split(" ")).filter(
    ([method, path]) => method === "GET" && !path!.includes("{"),
  );
  assert.equal(lists.length, 9);
  for (const name of ["Days", "Nights"]) {
    await done("POST /device-certificates", { deviceId: await newDevice() });
    await done("POST /tickets", { title: name });
    await newShift(name);
  }
  for (const [, list] of lists) {
    const [usual, most] = list === "/provisioning/claims" ? [100, 500] : [50, 200];
    const page = async (query: string) => done(`GET ${list}${query}`);
    const { items, ...rest } = await page("");
    assert.ok(items.length > 1, list);
    assert.deepEqual(rest, { total: items.length, skip: 0, limit: usual }, list);
    const order = items.map((each: Record<string, string>) => (list === "/devices" ? each.createdAt : each.id));
    assert.deepEqual(order, order.toSorted().reverse(), list);
    for (const [query, skip, limit] of [
      [`?limit=${most + 1}`, 0, most],
      [`?limit=${most}&skip=1`, 1, most],
      ["?limit=0&skip=-1", 0, 1],
      ["?limit=-5&skip=1000000", 1_000_000, 1],
    ] as const) {
      const answer = await page(query);
      assert.deepEqual([answer.skip, answer.limit, answer.total], [skip, limit, items.length], list + query);
      assert.deepEqual(answer.items, items.slice(skip, skip + limit), list + query);
    }
    assert.deepEqual(errorOf(await ask(`GET ${list}?limit=ten`)), [400, "invalid_request", "limit"], list);
  }
});

test("4.7 response 201 with the bundle and header Cache-Control: no-store; the private key cannot be fetched again", async () => {
  const deviceId = await newDevice();
  const { status, headers, json } = await ask("POST /device-certificates", {
    deviceId,
    acknowledgeSelfEnrollmentOverride: false,
  });
  assert.deepEqual([status, headers["cache-control"]], [201, "no-store"]);
  const bundle = ["privateKeyPem", "clientCertPem", "clientCertChainPem", "serverCaBundlePem", "pkcs12Base64"];
  for (const field of [...bundle, "pkcs12Passphrase"]) assert.ok(json[field].length > 8, field);
  const leaf = new X509Certificate(json.clientCertPem);
  assert.ok(leaf.checkPrivateKey(createPrivateKey(json.privateKeyPem)));
  assert.ok(leaf.verify(new X509Certificate(json.clientCertChainPem).publicKey));
  const again = await ask(`GET /device-certificates?deviceId=${deviceId}`);
  assert.doesNotMatch(again.text, /PRIVATE KEY|pkcs12/);
});

test("4.6, 2.6, 6 the audit covers minted, enrolled, renewed, revoked, with actor apikey:<key-id> or claim:<claim-id>; renewal entries carry previousSerialNumber", async () => {
  const { id: claimId, claimCode } = await done("POST /provisioning/claims", { intendedName: "x" });
  const { key: deviceKey, body } = await redemption(claimCode);
  const { deviceId, mqtt } = (await redeem(server, body)).json;
  const device = { deviceId, key: deviceKey, fullchain: mqtt.clientCert + mqtt.clientCertChain };
  assert.equal((await renew(server, device as Parameters<typeof renew>[1])).answer.status, 200);
  const { id } = await done("POST /device-certificates", { deviceId, acknowledgeSelfEnrollmentOverride: true });
  await ask(`DELETE /device-certificates/${id}`);
  const { items } = await done("GET /device-certificates/audit");
  const entries = items.filter((entry: { deviceId: string }) => entry.deviceId === deviceId);
  const apiKey = `apikey:${key.split("_")[1]}`;
  assert.deepEqual(
    entries.map((entry: Record<string, string>) => [entry.kind, entry.actor]),
    [
      ["device_cert_revoked", apiKey],
      ["device_cert_minted", apiKey],
      ["device_cert_renewed", `device:${deviceId}`],
      ["device_cert_enrolled", `claim:${claimId}`],
    ],
  );
  const [revoked, minted, renewed, enrolled] = entries;
  assert.equal(renewed.previousSerialNumber, enrolled.serialNumber);
  assert.equal(revoked.serialNumber, minted.serialNumber);
  for (const entry of [revoked, minted, enrolled]) assert.equal("previousSerialNumber" in entry, false, entry.kind);
});

test("4.8 DELETE /device-certificates/{id}: 204, idempotent; unknown id in the tenant: 404 certificate_not_found; issue and revocation appear in the API audit log with id, serial and fingerprint, never the key", async () => {
  const { id, serialNumber, fingerprintSha256 } = await done("POST /device-certificates", {
    deviceId: await newDevice(),
  });
  for (let i = 0; i < 3; i++) {
    const { status, text } = await ask(`DELETE /device-certificates/${id}`);
    assert.deepEqual([status, text], [204, ""]);
  }
  const unknown = await ask(`DELETE /device-certificates/${NOWHERE}`);
  assert.deepEqual([unknown.status, unknown.json.error], [404, "certificate_not_found"]);
  const writes = (await server.app.access.listApiWrites(tenant.caller, { skip: 0, limit: 100 })).items;
  const own = writes.filter(({ resourceId }) => resourceId === id);
  assert.deepEqual(
    own.map(({ result }) => result),
    ["unchanged", "unchanged", "revoked", "created"],
  );
  for (const { certificate } of own) assert.deepEqual(certificate, { id, serialNumber, fingerprintSha256 });
  assert.doesNotMatch(JSON.stringify(writes), /PRIVATE/);
});

test("4.9 renewal: a fresh CSR or one for the same key is accepted; the replaced certificate renews no more", async () => {
  const device = await enrollDevice(server, tenant);
  const post = (csr: string, fullchain: string) =>
    https(`${server.httpUrl}/api/provisioning/cert/renew`, {
      ca: server.ca,
      cert: fullchain,
      key: device.key,
      body: { csr },
    });
  const sameKey = await post(makeCsr(device.key), device.fullchain);
  assert.equal(sameKey.status, 200);
  const { clientCert, clientCertChain, certExpiresAt, renewAfterUtc } = sameKey.json;
  const days = (text: string) => (Date.parse(text) - server.clock.now().getTime()) / DAY;
  assert.deepEqual([days(certExpiresAt), days(renewAfterUtc)], [30, 21]);
  const replaced = await post(makeCsr(device.key), device.fullchain);
  assert.deepEqual([replaced.status, replaced.json.error], [401, "cert_invalid"]);
  const freshKey = await renew(server, { ...device, fullchain: clientCert + clientCertChain });
  assert.equal(freshKey.answer.status, 200);
});

test("4.9 an OpenAPI 3.1 description of the public API is served at {base_url}/openapi/public.json", async () => {
  const { status, json } = await https(`${server.httpUrl}/openapi/public.json`, { ca: server.ca, agent });
  assert.equal(status, 200);
  assert.match(json.openapi, /^3\.1\.\d+$/);
  const paths = routes.filter(({ surface }) => surface === "public").map(({ path }) => path);
  assert.deepEqual(Object.keys(json.paths).sort(), [...new Set([...paths, "/api/v1/batch"])].sort());
});

test("4.10 a device id can back live certificates in only one account at a time: 409 client_id_in_use, nothing is issued; renewal is never refused this way; recovery: add a new device and issue for it", async () => {
  const other = await newTenant(server);
  const as = await newKey(server, other, ...SCOPES);
  for (const account of [tenant, other]) await newDevice("pump-1", account);
  const ours = await done("POST /device-certificates", { deviceId: "pump-1" });
  const refused = await ask("POST /device-certificates", { deviceId: "pump-1" }, { as });
  assert.deepEqual([refused.status, refused.json.error], [409, "client_id_in_use"]);
  assert.equal((await ask("GET /device-certificates", undefined, { as })).json.total, 0);
  const holder = { key: ours.privateKeyPem, fullchain: ours.clientCertPem + ours.clientCertChainPem };
  assert.equal((await renew(server, holder as Parameters<typeof renew>[1])).answer.status, 200);
  const fresh = { deviceId: await newDevice("pump-1b", other) };
  assert.equal((await ask("POST /device-certificates", fresh, { as })).status, 201);
});

// This is last because it advances the clock, and TLS verifies client certificates by the real one.
test("4.5 GET /device-certificates: status default all; active = not revoked, expired included; revoked; any other value: 400 invalid_request", async () => {
  const own = await newTenant(server);
  const as = await newKey(server, own, "device-certificates:read", "device-certificates:revoke");
  const list = async (query = "") => (await ask(`GET /device-certificates${query}`, undefined, { as })).json;
  await enrollDevice(server, own);
  await enrollDevice(server, own);
  const [newest, oldest] = (await list()).items;
  assert.equal((await ask(`DELETE /device-certificates/${newest.id}`, undefined, { as })).status, 204);
  server.clock.advance(31 * DAY);
  const reported = ({ items }: { items: Record<string, unknown>[] }) =>
    items.map(({ id, status, expired }) => [id, status, expired]);
  assert.deepEqual(reported(await list("?status=active")), [[oldest.id, "active", true]]);
  assert.deepEqual(reported(await list("?status=revoked")), [[newest.id, "revoked", true]]);
  assert.deepEqual((await list()).total, 2);
  assert.deepEqual(reported(await list(`?deviceId=${oldest.deviceId}`)), [[oldest.id, "active", true]]);
  for (const status of ["expired", "ACTIVE", "", "active,revoked"]) {
    const answer = await ask(`GET /device-certificates?status=${status}`, undefined, { as });
    assert.deepEqual(errorOf(answer), [400, "invalid_request", "status"]);
  }
});
