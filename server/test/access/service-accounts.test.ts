import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Role } from "../../src/access/access.ts";
import { DAY, MINUTE } from "../../src/lib/clock.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import { openStream } from "../harness/http/event-streams.ts";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

const LOOPBACK = "127.0.0.1";

/** Service accounts: users that cannot sign in, whose keys no person's leaving ends. */
let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;

before(async () => {
  server = await startServer({ env: { MUSTER_TRUSTED_PROXIES: LOOPBACK } });
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
});
after(() => server.stop());

let made = 0;

/** A service account, made in the admin app, with a key. */
async function newAccount(
  role: Role,
  { by = admin, scopes = ["devices:read", "groups:write", "thresholds:write"] } = {},
) {
  const name = `Sync ${++made}`;
  const created = await by.call("POST", "/service-accounts", { body: { name, role, expiresInDays: 30 } });
  assert.equal(created.status, 201, created.text);
  const { id } = created.json;
  const { json: key } = await by.call("POST", "/keys", { body: { name: "Nightly", scopes, serviceAccountId: id } });
  const path = `/service-accounts/${id}`;
  const change = async (body: object) => {
    const { status, text } = await admin.call("PATCH", path, { body });
    assert.equal(status, 200, text);
  };
  return { id, name, path, keyId: key.id as string, key: key.key as string, change };
}

function api(key: string, method: string, path: string, body?: object) {
  const headers = { "x-api-key": key };
  return https(`${server.httpUrl}/api/v1${path}`, { ca: server.ca, method, headers, ...(body && { body }) });
}

const statusOf = async (key: string) => (await api(key, "GET", "/devices")).status;
const PACK = { name: "Hot", rules: [{ metric: "temperature", operator: "gt", value: 90, severity: "major" }] };
const page = { skip: 0, limit: 50 };

test("a key of a service account has the account's rights, from the next request on after a change", async () => {
  const { key, change } = await newAccount("admin");
  const write = async () => [
    (await api(key, "POST", "/groups", { name: "Hall" })).status,
    (await api(key, "POST", "/thresholds", PACK)).status,
  ];
  assert.deepEqual(await write(), [201, 201]);
  await change({ role: "operator" });
  assert.deepEqual(await write(), [403, 201]);
  await change({ role: "viewer" });
  assert.deepEqual([...(await write()), await statusOf(key)], [403, 403, 200]);
  await change({ status: "deactivated" });
  assert.equal(await statusOf(key), 401);
  await change({ status: "active" });
  server.clock.advance(MINUTE);
  assert.equal(await statusOf(key), 401, "a key that was revoked stays so");
});

test("an account that is no admin sees the devices of its groups, and an edit of their members leaves it there", async () => {
  const { devices, groups } = server.app;
  const { path, key } = await newAccount("operator");
  const { id: group } = await groups.createGroup(tenant.caller, { name: "Hall" });
  const seen = await devices.createDevice(tenant.caller, { name: "Seen", groupIds: [group] });
  await devices.createDevice(tenant.caller, { name: "Hidden" });
  const list = async () => (await api(key, "GET", "/devices")).json.items.map(({ id }: { id: string }) => id);
  assert.deepEqual(await list(), []);
  const { json } = await admin.call("PATCH", path, { body: { groupIds: [group] } });
  assert.deepEqual(json.groupIds, [group]);
  const stale = { body: { groupIds: [] }, headers: { "if-match": '"stale"' } };
  assert.equal((await admin.call("PATCH", path, stale)).status, 412);
  assert.deepEqual(await list(), [seen.id]);
  const edited = await groups.setGroupMembers(tenant.caller, group, [admin.userId]);
  assert.deepEqual(edited.memberUserIds, [admin.userId], "members are people");
  assert.deepEqual([await list(), (await admin.call("GET", path)).json.groupIds], [[seen.id], [group]]);
  await admin.call("PATCH", path, { body: { groupIds: [] } });
  assert.deepEqual(await list(), []);
});

test("fields and groups change together or not at all, in one act of the audit", async () => {
  const { groups, access } = server.app;
  const { id: group } = await groups.createGroup(tenant.caller, { name: "Together" });
  const { id, path, name } = await newAccount("viewer");
  const both = { role: "operator", groupIds: [group] };
  const unknown = await admin.call("PATCH", path, { body: { ...both, groupIds: [id] } });
  assert.deepEqual([unknown.status, unknown.json.detail], [400, id]);
  assert.equal((await admin.call("GET", path)).json.role, "viewer");
  await admin.call("PATCH", path, { body: both });
  const [act] = (await access.listAdminActs(tenant.caller, { ...page, target: id })).items;
  const { role, groups: joined } = act!.after as { role: string; groups: string[] };
  assert.deepEqual([act!.act, role, joined], ["service-account.update", "operator", [group]]);
  const body = { name: `${name} again`, role: "viewer", expiresInDays: 30, groupIds: [id] };
  assert.equal((await admin.call("POST", "/service-accounts", { body })).status, 400);
  const made = await admin.call("POST", "/service-accounts", { body: { ...body, groupIds: [group] } });
  assert.deepEqual([made.status, made.json.groupIds], [201, [group]]);
});

test("keys of an account with address ranges are refused elsewhere, uncounted and in the audit", async () => {
  const { keyId, key, path } = await newAccount("viewer");
  const from = (host: string) =>
    https(`${server.httpUrl}/api/v1/devices`, {
      ca: server.ca,
      headers: { "x-api-key": key, "x-forwarded-for": host },
    });
  const ranges = ["203.0.113.7/24", "2001:db8::/32", "::ffff:192.0.2.1"];
  const { json } = await admin.call("PATCH", path, { body: { addressRanges: ranges } });
  assert.deepEqual(json.addressRanges, ["203.0.113.0/24", "2001:db8::/32", "192.0.2.1/32"]);
  const admitted = ["203.0.113.200", "2001:db8:7::1", "192.0.2.1"];
  const refused = ["203.0.114.1", "2001:db9::1", "192.0.2.2", "unknown"];
  for (const host of admitted) assert.equal((await from(host)).status, 200, host);
  for (const host of refused) {
    const answer = await from(host);
    assert.deepEqual([answer.status, answer.json.error], [403, "address_not_allowed"], host);
  }
  const together = await Promise.all([...refused, ...admitted, ...refused].map(from));
  assert.deepEqual(
    together.map(({ status }) => status),
    [403, 403, 403, 403, 200, 200, 200, 403, 403, 403, 403],
  );
  const last = await from(admitted[0]!);
  assert.match(String(last.headers.ratelimit), /r=113;/, "of 120, seven were counted");
  const acts = await eventually(async () => {
    const { items } = await server.app.access.listAdminActs(tenant.caller, { ...page, target: keyId });
    const found = items.filter(({ act }) => act === "key.refuse-address");
    return found.length === refused.length && found;
  });
  assert.deepEqual(new Set(acts?.map(({ address }) => address)), new Set([...refused.slice(0, 3), LOOPBACK]));
});

test("an event stream ends when the address ranges change, and ranges are checked", async () => {
  const { key, change, path } = await newAccount("admin", { scopes: ["events:read", "devices:read"] });
  const stream = await openStream(server, "/api/v1/events?kinds=device.", { "x-api-key": key });
  await change({ addressRanges: ["203.0.113.0/24"] });
  await stream.ended;
  assert.equal(await statusOf(key), 403);
  await change({ addressRanges: [] });
  assert.equal(await statusOf(key), 200);
  for (const wrong of ["203.0.113.0/33", "010.0.0.1", "plant.example", ""]) {
    const { status, json } = await admin.call("PATCH", path, { body: { addressRanges: [wrong] } });
    assert.deepEqual([status, json.detail ?? ""], [400, wrong]);
  }
  const many = Array.from({ length: 33 }, (_, n) => `203.0.113.${n}`);
  assert.equal((await admin.call("PATCH", path, { body: { addressRanges: many } })).status, 400);
});

test("keys of a service account outlive the admin who made it, and the list says that its contact is gone", async () => {
  const leaver = await signIn(server, tenant);
  const { key, path, change } = await newAccount("viewer", { by: leaver });
  assert.equal((await admin.call("GET", path)).json.contact.id, leaver.userId);
  await admin.call("DELETE", `/users/${leaver.userId}`);
  assert.equal(await statusOf(key), 200);
  assert.deepEqual((await admin.call("GET", path)).json.contact.active, false);
  const problems = async () => (await admin.call("GET", "/overview")).json.serviceAccounts.withoutContact;
  assert.equal(await problems(), 1);
  const gone = await admin.call("PATCH", path, { body: { contactUserId: leaver.userId } });
  assert.deepEqual([gone.status, gone.json.error, gone.json.detail], [400, "invalid_request", leaver.userId]);
  await change({ contactUserId: admin.userId });
  assert.deepEqual((await admin.call("GET", path)).json.contact.active, true);
  assert.equal(await problems(), 0);
});

test("an account ends at its date: its keys are refused then, and the audit says so", async () => {
  const { id, key, keyId } = await newAccount("viewer");
  server.clock.advance(30 * DAY - MINUTE);
  assert.equal(await statusOf(key), 200);
  server.clock.advance(MINUTE);
  assert.equal(await statusOf(key), 401);
  await server.app.access.prune();
  admin = await signIn(server, tenant);
  const { json } = await admin.call("GET", `/service-accounts/${id}`);
  assert.equal(json.status, "deactivated");
  const active = await admin.call("PATCH", `/service-accounts/${id}`, { body: { status: "active" } });
  assert.deepEqual([active.status, active.json.detail], [400, "expiresInDays"]);
  const [act] = (await server.app.access.listAdminActs(tenant.caller, { ...page, target: id })).items;
  assert.deepEqual([act!.act, act!.actor], ["service-account.end", "system"]);
  assert.deepEqual((act!.after as { revokedKeys: string[] }).revokedKeys, [keyId]);
});

test("a service account is no person: it cannot sign in, is no last admin, and is in no list of people", async () => {
  const other = await newTenant(server);
  const only = await signIn(server, other);
  const { id } = await newAccount("admin", { by: only });
  for (const email of [`Sync ${made}`, id, ""])
    assert.notEqual((await only.call("POST", "/session", { body: { email, password: "" } })).status, 200);
  for (const path of ["/users?limit=200", "/people?limit=200"])
    assert.ok(!(await only.call("GET", path)).text.includes(id), path);
  assert.equal((await only.call("GET", `/users/${id}`)).status, 404);
  assert.equal((await only.call("PATCH", `/users/${id}`, { body: { role: "viewer" } })).status, 404);
  await server.app.access.removeUser(other.caller, other.admin.id);
  await assert.rejects(server.app.access.removeUser(other.caller, only.userId), { code: "last_admin" });
});

test("the acts of an account's keys are in the audits, as those of keys, and its own changes with their actor", async () => {
  const { id, path, key, keyId } = await newAccount("admin");
  const { json: group } = await api(key, "POST", "/groups", { name: "Made by a program" });
  const [write] = (await server.app.access.listApiWrites(tenant.caller, { ...page, keyId })).items;
  assert.deepEqual([write!.operation, write!.resourceId], ["createGroup", group.id]);
  const { json } = await admin.call("GET", `/keys?userId=${id}`);
  assert.deepEqual(
    json.items.map(({ user, ownerKind }: { user: string; ownerKind: string }) => [user, ownerKind]),
    [[`Sync ${made}`, "service"]],
  );
  await admin.call("DELETE", path);
  assert.equal(await statusOf(key), 401);
  const acts = (await server.app.access.listAdminActs(tenant.caller, { ...page, target: id })).items;
  assert.deepEqual(
    acts.map(({ act, actor }) => [act, actor]),
    [
      ["service-account.delete", `user:${admin.userId}`],
      ["service-account.create", `user:${admin.userId}`],
    ],
  );
  assert.deepEqual((acts[0]!.after as { revokedKeys: string[] }).revokedKeys, [keyId]);
  const names = (await admin.call("GET", `/actors?actors=user:${id}`)).text;
  assert.ok(names.includes(`Sync ${made}`), names);
});

test("a key of a viewer's account rotates itself, within the account's rights", async () => {
  const { key } = await newAccount("viewer", { scopes: ["devices:read", "own-key:rotate"] });
  const { status, json } = await api(key, "POST", "/keys/current/rotate", { overlapHours: 0 });
  assert.deepEqual([status, await statusOf(key), await statusOf(json.key)], [201, 401, 200]);
});

test("an event stream ends with the account's role and with its deactivation", async () => {
  const { key, change } = await newAccount("admin", { scopes: ["events:read", "devices:read"] });
  const open = () => openStream(server, "/api/v1/events?kinds=device.", { "x-api-key": key });
  const stream = await open();
  await change({ role: "viewer" });
  await stream.ended;
  const second = await open();
  await change({ status: "deactivated" });
  await second.ended;
});

test("names are unique, dates and contacts are checked, and other tenants' accounts are unknown", async () => {
  const { id, name, path } = await newAccount("viewer");
  const create = (body: object) => admin.call("POST", "/service-accounts", { body });
  const usual = { name: "Other", role: "viewer", expiresInDays: 30 };
  const taken = await create({ ...usual, name: name.toUpperCase() });
  assert.deepEqual([taken.status, taken.json.error], [409, "already_exists"]);
  for (const wrong of [{ expiresInDays: 401 }, { expiresInDays: 0 }, { role: "owner" }, { name: " " }])
    assert.equal((await create({ ...usual, ...wrong })).status, 400, JSON.stringify(wrong));
  const other = await newTenant(server);
  const stranger = await signIn(server, other);
  assert.equal((await stranger.call("GET", path)).status, 404);
  assert.equal((await create({ ...usual, contactUserId: stranger.userId })).status, 400);
  const key = await stranger.call("POST", "/keys", {
    body: { name: "x", scopes: ["devices:read"], serviceAccountId: id },
  });
  assert.deepEqual([key.status, key.json.detail], [400, id]);
});

test("what makes a service account, or a key of one, needs a step-up", async () => {
  const { id, path } = await newAccount("viewer");
  server.clock.advance(20 * MINUTE);
  const asked = [
    await admin.call("POST", "/service-accounts", { body: { name: "Late", role: "viewer", expiresInDays: 1 } }),
    await admin.call("PATCH", path, { body: { role: "admin" } }),
    await admin.call("PATCH", path, { body: { addressRanges: [] } }),
    await admin.call("DELETE", path),
    await admin.call("POST", "/keys", { body: { name: "x", scopes: ["devices:read"], serviceAccountId: id } }),
  ];
  assert.deepEqual(new Set(asked.map(({ status }) => status)), new Set([403]));
});
