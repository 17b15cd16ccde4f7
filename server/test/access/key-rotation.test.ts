import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY, HOUR } from "../../src/lib/clock.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { signIn } from "../harness/sign-in.ts";

/** The rotation of API keys: a successor with the same rights, and an end for the replaced key. */
let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server.stop());

const SCOPES = ["groups:read", "groups:write", "own-key:read", "own-key:rotate"];

async function newKey(more = {}): Promise<{ id: string; key: string }> {
  const input = { user: tenant.admin.email, name: "Integration", scopes: SCOPES, ...more };
  return await server.app.access.createKey(tenant.caller, input);
}

function api(key: string, method: string, path: string, body?: object, at = server) {
  const headers = { "x-api-key": key };
  return https(`${at.httpUrl}/api/v1${path}`, { ca: at.ca, method, headers, ...(body && { body }) });
}

const rotate = (key: string, body = {}, at = server) => api(key, "POST", "/keys/current/rotate", body, at);
const statusOf = async (key: string) => (await api(key, "GET", "/groups")).status;
const own = async (key: string) => (await api(key, "GET", "/keys/current")).json;

test("a rotated key works beside its successor until the chosen time, then the successor alone", async () => {
  const former = await newKey({ expiresInDays: 90 });
  server.clock.advance(DAY);
  const { status, json: made, headers } = await rotate(former.key, { overlapHours: 2 });
  assert.deepEqual([status, headers["cache-control"]], [201, "no-store"]);
  const end = new Date(server.clock.now().getTime() + 2 * HOUR).toISOString();
  assert.deepEqual(made.replaces, { id: former.id, expiresAt: end });
  const [before, successor] = [await own(former.key), await own(made.key)];
  assert.deepEqual([before.expiresAt, before.replacedBy, before.replaces], [end, made.id, null]);
  assert.deepEqual([successor.replaces, successor.replacedBy, successor.scopes], [former.id, null, SCOPES]);
  assert.equal(Date.parse(successor.expiresAt) - Date.parse(successor.createdAt), 90 * DAY);
  assert.deepEqual([await statusOf(former.key), await statusOf(made.key)], [200, 200]);
  server.clock.advance(2 * HOUR);
  assert.deepEqual([await statusOf(former.key), await statusOf(made.key)], [401, 200]);
});

test("the overlap is a day unless another is asked for, and at most seven; without one the key ends at once", async () => {
  const [usual, none] = [await newKey(), await newKey()];
  const { json } = await rotate(usual.key);
  assert.equal(Date.parse(json.replaces.expiresAt), server.clock.now().getTime() + DAY);
  assert.equal(json.expiresAt, null);
  for (const overlapHours of [-1, 0.5, 169]) assert.equal((await rotate(none.key, { overlapHours })).status, 400);
  assert.equal((await rotate(none.key, { overlapHours: 0 })).status, 201);
  assert.equal(await statusOf(none.key), 401);
});

test("a rotation never prolongs a key that expires earlier", async () => {
  const { key } = await newKey({ expiresInDays: 1 });
  const { expiresAt } = await own(key);
  assert.equal((await rotate(key, { overlapHours: 168 })).json.replaces.expiresAt, expiresAt);
});

test("a key has one successor, which is named when it is asked for another one", async () => {
  const { key } = await newKey();
  const { json: made } = await rotate(key);
  const { status, json } = await rotate(key);
  assert.deepEqual([status, json.error, json.detail], [409, "already_exists", made.id]);
  assert.equal((await rotate(made.key)).status, 201);
});

test("two rotations at once make one successor", async (t) => {
  // Two processes share a database on PostgreSQL only.
  const second = server.databaseUrl === undefined ? server : await startServer({ share: server });
  if (second !== server) t.after(() => second.stop());
  for (let round = 0; round < 5; round++) {
    const { id, key } = await newKey();
    const answers = await Promise.all([server, second, server, second].map((at) => rotate(key, {}, at)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    const { items } = await server.app.access.listKeys(tenant.caller, { skip: 0, limit: 200 });
    assert.equal(items.filter(({ replaces }) => replaces === id).length, 1);
  }
});

test("an admin rotates any key with a step-up; acts and keys are in the audits", async () => {
  const admin = await signIn(server, tenant);
  const former = await newKey();
  const { status, json: made } = await admin.call("POST", `/keys/${former.id}/rotate`, { body: { overlapHours: 1 } });
  assert.equal(status, 201);
  const page = { skip: 0, limit: 10 };
  const [act] = (await server.app.access.listAdminActs(tenant.caller, { ...page, act: "key.rotate" })).items;
  assert.deepEqual([act!.actor, act!.target], [`user:${admin.userId}`, former.id]);
  assert.deepEqual(act!.after, { name: "Integration", expiresAt: made.replaces.expiresAt, replacedBy: made.id });
  const { json: next } = await rotate(made.key);
  const [write] = (await server.app.access.listApiWrites(tenant.caller, { ...page, keyId: made.id })).items;
  assert.deepEqual(
    [write!.operation, write!.resource, write!.resourceId, write!.result],
    ["rotateCurrentKey", "key", next.id, "created"],
  );
  const { json } = await admin.call("GET", "/keys");
  const shown = json.items.find(({ id }: { id: string }) => id === made.id);
  assert.deepEqual([shown.replaces, shown.replacedBy], [former.id, next.id]);
  server.clock.advance(20 * 60_000);
  const late = await admin.call("POST", `/keys/${next.id}/rotate`, { body: {} });
  assert.deepEqual([late.status, late.json.error], [403, "reauthentication_required"]);
});

test("keys that have ended, or that a tenant does not have, are not rotated, and a quota counts successors", async () => {
  const { access } = server.app;
  const { id, key } = await newKey();
  await access.revokeKey(tenant.caller, id);
  assert.equal((await rotate(key)).status, 401);
  await assert.rejects(access.rotateKey(tenant.caller, id, {}), { code: "invalid_request", detail: id });
  const other = await newTenant(server);
  const elsewhere = await newKey();
  await assert.rejects(access.rotateKey(other.caller, elsewhere.id, {}), { code: "not_found" });
  await access.setQuota(tenant.caller, "apiKeys", 0);
  assert.equal((await rotate(elsewhere.key)).json.error, "quota_exceeded");
  await access.setQuota(tenant.caller, "apiKeys", undefined);
});

test("the end of the owner ends successors, too", async () => {
  const { access } = server.app;
  const owner = await access.createUser(tenant.caller, { email: `owner@${tenant.slug}.example`, role: "admin" });
  const { key } = await newKey({ user: owner.email });
  const { json: made } = await rotate(key);
  await access.deactivateUser(tenant.caller, owner.email);
  assert.deepEqual([await statusOf(key), await statusOf(made.key)], [401, 401]);
});
