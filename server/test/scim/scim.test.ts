import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import type { HttpOptions } from "../harness/http/https.ts";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn } from "../harness/sign-in.ts";

/** Users and groups that an identity provider keeps by SCIM. */
let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let token: string;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
  ({ token } = await server.app.scim.createScimToken(tenant.caller));
});
after(() => server.stop());

/** Returns the only active admin of a new tenant, and the tenant's token. */
async function soleAdmin() {
  const own = await newTenant(server);
  const only = await signIn(server, own);
  for (const { email } of await server.app.access.listUsers(own.caller))
    if (email !== only.email) await server.app.access.deleteUser(own.caller, email);
  return { own, only, bearer: (await server.app.scim.createScimToken(own.caller)).token };
}

let made = 0;
const fresh = (): string => `person-${++made}-${process.pid}@example.com`;

async function scim(method: string, path: string, { body, headers = {}, at = server, bearer = token }: Options = {}) {
  return await https(`${at.httpUrl}/scim/v2${path}`, {
    method,
    ca: at.ca,
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/scim+json", ...headers },
    ...(body === undefined ? {} : { body }),
  });
}
type Options = Pick<HttpOptions, "body" | "headers"> & { at?: TestServer; bearer?: string };

const create = async (body: object) => {
  const answer = await scim("POST", "/Users", { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
};
const patch = (path: string, ...Operations: object[]) => scim("PATCH", path, { body: { Operations } });
const accountOf = async (id: string) => (await admin.call("GET", `/users/${id}`)).json;

test("no user gets an address of a domain that is another tenant's", async () => {
  const other = await newTenant(server);
  await server.app.access.addTenantDomain(other.caller, `${other.slug}.example`);
  const userName = `ada@${other.slug}.example`;
  const made = await scim("POST", "/Users", { body: { userName } });
  assert.deepEqual([made.status, made.json.scimType], [400, "invalidValue"], made.text);
  const user = await create({ userName: fresh() });
  const moved = await patch(`/Users/${user.id}`, { op: "replace", path: "userName", value: userName });
  assert.deepEqual([moved.status, moved.json.scimType], [400, "invalidValue"], moved.text);
  assert.notEqual((await accountOf(user.id)).email, userName);
});

test("a user is created, found by userName and externalId, changed and deleted", async () => {
  const userName = fresh();
  const user = await create({
    userName,
    externalId: `ext-${userName}`,
    name: { givenName: "Ada", familyName: "Lovelace" },
  });
  assert.deepEqual([user.userName, user.active], [userName, undefined]);
  const account = await accountOf(user.id);
  assert.deepEqual(
    [account.email, account.name, account.role, account.status],
    [userName, "Ada Lovelace", "viewer", "active"],
  );
  for (const filter of [`userName eq "${userName.toUpperCase()}"`, `externalId eq "ext-${userName}"`]) {
    const { json } = await scim("GET", `/Users?filter=${encodeURIComponent(filter)}`);
    assert.deepEqual([json.totalResults, json.Resources[0].id], [1, user.id], filter);
  }
  const none = await scim("GET", `/Users?filter=${encodeURIComponent('userName eq "nobody"')}`);
  assert.deepEqual([none.json.totalResults, none.json.Resources], [0, []]);
  const renamed = await scim("PUT", `/Users/${user.id}`, { body: { userName, displayName: "Countess" } });
  assert.deepEqual([renamed.json.displayName, renamed.json.externalId], ["Countess", undefined]);
  assert.equal((await accountOf(user.id)).name, "Countess");
  assert.equal((await scim("DELETE", `/Users/${user.id}`)).status, 204);
  assert.equal((await scim("GET", `/Users/${user.id}`)).status, 404);
  await create({ userName });
});

test("lists are pages from an index that counts from 1", async () => {
  const { json: all } = await scim("GET", "/Users");
  const { json: second } = await scim("GET", "/Users?startIndex=2&count=1");
  assert.deepEqual([second.itemsPerPage, second.startIndex, second.totalResults], [1, 2, all.totalResults]);
  assert.equal(second.Resources[0].id, all.Resources[1].id);
  const { json: count } = await scim("GET", "/Users?count=0");
  assert.deepEqual([count.Resources, count.totalResults], [[], all.totalResults]);
  const bad = await scim("GET", "/Users?filter=userName%20sw%20%22a%22");
  assert.deepEqual([bad.status, bad.json.scimType, bad.json.status], [400, "invalidFilter", "400"]);
});

test("a write with an outdated version is refused and changes nothing", async () => {
  const user = await create({ userName: fresh() });
  const { version } = user.meta;
  const change = (displayName: string) =>
    scim("PUT", `/Users/${user.id}`, {
      body: { userName: user.userName, displayName },
      headers: { "if-match": version },
    });
  assert.equal((await change("first")).status, 200);
  assert.equal((await change("second")).status, 412);
  const { json, headers } = await scim("GET", `/Users/${user.id}`);
  assert.deepEqual([json.displayName, headers.etag], ["first", json.meta.version]);
  const same = await scim("GET", `/Users/${user.id}`, { headers: { "if-none-match": json.meta.version } });
  assert.equal(same.status, 304);
});

test("active: false ends sessions and keys, also as text and in a PATCH without a path", async () => {
  for (const operation of [
    { op: "replace", path: "active", value: false },
    { op: "Replace", value: { active: "False" } },
  ]) {
    const user = await signIn(server, tenant);
    const key = await server.app.access.createKey(tenant.caller, {
      user: user.email,
      name: "k",
      scopes: ["devices:read"],
    });
    const use = () => https(`${server.httpUrl}/api/v1/devices`, { ca: server.ca, headers: { "x-api-key": key.key } });
    assert.equal((await use()).status, 200);
    const answer = await patch(`/Users/${user.userId}`, operation);
    assert.deepEqual([answer.status, answer.json.active], [200, false], answer.text);
    assert.equal((await user.call("GET", "/session")).status, 401);
    assert.equal(await eventually(async () => (await use()).status === 401), true);
    const refused = await newBrowser(server).call("POST", "/session", {
      body: { email: user.email, password: PASSWORD },
    });
    assert.equal(refused.status, 401);
    await patch(`/Users/${user.userId}`, { op: "replace", path: "active", value: true });
    assert.equal((await accountOf(user.userId)).status, "active");
    assert.equal((await use()).status, 401, "keys stay revoked");
  }
});

test("two creations of the same userName at once make one user", async () => {
  const userName = fresh();
  const answers = await Promise.all(Array.from({ length: 6 }, () => scim("POST", "/Users", { body: { userName } })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
  const refused = answers.find(({ status }) => status === 409)!;
  assert.equal(refused.json.scimType, "uniqueness");
  const sameName = { userName: `user-${userName}` };
  const both = await Promise.all(
    [1, 2].map((n) => scim("POST", "/Users", { body: { ...sameName, emails: [{ value: `${n}-${userName}` }] } })),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
});

test("members of a group get its role and its groups here, and lose them with the membership", async () => {
  const user = await create({ userName: fresh() });
  const group = await server.app.groups.createGroup(tenant.caller, { name: `Crew ${made}` });
  const { json: mapped } = await scim("POST", "/Groups", { body: { displayName: `Pump crew ${made}` } });
  await server.app.scim.mapScimGroup(tenant.caller, mapped.id, { role: "operator", groupIds: [group.id] });
  const members = async () => (await server.app.groups.getGroup(tenant.caller, group.id)).memberUserIds;
  const added = await patch(`/Groups/${mapped.id}`, { op: "add", path: "members", value: [{ value: user.id }] });
  assert.equal(added.status, 200, added.text);
  assert.equal((await accountOf(user.id)).role, "operator");
  assert.deepEqual(await members(), [user.id]);
  assert.deepEqual((await scim("GET", `/Users/${user.id}`)).json.groups[0].value, mapped.id);
  const removed = await patch(`/Groups/${mapped.id}`, { op: "remove", path: `members[value eq "${user.id}"]` });
  assert.equal(removed.json.members, undefined);
  assert.equal((await accountOf(user.id)).role, "viewer");
  assert.deepEqual(await members(), []);
});

test("a new mapping applies to present members, and the last admin keeps the role", async () => {
  const { own, only, bearer } = await soleAdmin();
  const body = { displayName: "Everyone", members: [{ value: only.userId }] };
  const { json: group } = await scim("POST", "/Groups", { body, bearer });
  const map = (role: "admin" | "viewer") => server.app.scim.mapScimGroup(own.caller, group.id, { role, groupIds: [] });
  await map("viewer");
  assert.equal((await only.call("GET", "/session")).json.user.role, "admin");
  const other = await signIn(server, own, "viewer");
  const both = [only, other].map(({ userId }) => ({ value: userId }));
  await scim("PUT", `/Groups/${group.id}`, { body: { ...body, members: both }, bearer });
  await map("admin");
  const roles = (await server.app.access.listUsers(own.caller)).map(({ role }) => role);
  assert.deepEqual(roles, ["admin", "admin"]);
});

test("the last admin and users who run the installation are not deactivated", async () => {
  const { own, only, bearer } = await soleAdmin();
  const deactivate = { body: { Operations: [{ op: "replace", path: "active", value: false }] }, bearer };
  const last = await scim("PATCH", `/Users/${only.userId}`, deactivate);
  assert.deepEqual([last.status, last.json.scimType], [409, "mutability"], last.text);
  await signIn(server, own);
  await server.app.access.setPlatformUser(own.caller, only.email, true);
  assert.equal((await scim("PATCH", `/Users/${only.userId}`, deactivate)).status, 403);
  assert.equal((await scim("DELETE", `/Users/${only.userId}`, { bearer })).status, 403);
});

test("a filter with an escaped character that no database stores is refused, also as a path of a PATCH", async () => {
  const user = await create({ userName: fresh() });
  for (const escaped of ["\\u0000", "\\ud800"]) {
    const listed = await scim("GET", `/Users?filter=${encodeURIComponent(`userName eq "${escaped}"`)}`);
    assert.deepEqual([listed.status, listed.json.scimType], [400, "invalidFilter"], listed.text);
    const path = `emails[type eq "${escaped}"].value`;
    const patched = await patch(`/Users/${user.id}`, { op: "add", path, value: fresh() });
    assert.deepEqual([patched.status, patched.json.scimType], [400, "invalidFilter"], patched.text);
  }
});

test("a token reaches its own tenant alone, and a wrong or replaced one reaches nothing", async () => {
  const other = await newTenant(server);
  const foreign = await signIn(server, other, "viewer");
  for (const [method, body] of [
    ["GET"],
    ["DELETE"],
    ["PUT", { userName: "x" }],
    ["PATCH", { Operations: [] }],
  ] as const)
    assert.equal((await scim(method, `/Users/${foreign.userId}`, { body })).status, 404, method);
  const listed = await scim("GET", `/Users?filter=${encodeURIComponent(`userName eq "${foreign.email}"`)}`);
  assert.equal(listed.json.totalResults, 0);
  const member = { displayName: `Foreign ${made++}`, members: [{ value: foreign.userId }] };
  assert.equal((await scim("POST", "/Groups", { body: member })).status, 400);
  const first = await server.app.scim.createScimToken(other.caller);
  const second = await server.app.scim.createScimToken(other.caller);
  const statusWith = async (bearer: string) => (await scim("GET", "/Users", { bearer })).status;
  assert.deepEqual([await statusWith(first.token), await statusWith(second.token)], [401, 200]);
  const unknown = await scim("GET", "/Users", { bearer: `mstrscim_${"A".repeat(43)}` });
  assert.deepEqual([unknown.status, unknown.headers["www-authenticate"]], [401, 'Bearer realm="SCIM"']);
  await server.app.scim.deleteScimToken(other.caller, second.id);
  assert.equal(await statusWith(second.token), 401);
});

test("making the token needs a step-up, is shown once, and is audited without the secret", async () => {
  const own = await newTenant(server);
  const user = await signIn(server, own);
  const answer = await user.call("POST", "/provisioning/token");
  assert.equal(answer.status, 201, answer.text);
  assert.ok(!(await user.call("GET", "/provisioning")).text.includes(answer.json.token));
  const { text, json } = await user.call("GET", "/audit/admin?act=scim-token.");
  assert.equal(json.total, 1);
  assert.ok(!text.includes(answer.json.token));
  server.clock.advance(11 * 60_000);
  assert.equal((await user.call("POST", "/provisioning/token")).json.error, "reauthentication_required");
  assert.ok(!server.logs.join("").includes(answer.json.token));
});

test("every write of the provider is audited with its token as actor", async () => {
  const user = await create({ userName: fresh() });
  await patch(`/Users/${user.id}`, { op: "replace", path: "active", value: false });
  const { items } = await server.app.access.listAdminActs(tenant.caller, { target: user.id, skip: 0, limit: 10 });
  assert.deepEqual(
    items.map(({ act }) => act),
    ["user.update", "user.create"],
  );
  for (const { actor, address } of items) assert.match(`${actor} ${address}`, /^scim:[0-9a-f-]{36} 127\.0\.0\.1$/);
});

test("too many wrong tokens from one address block are refused, and right ones are still admitted", async () => {
  const own = await newTenant(server);
  const { token: bearer } = await server.app.scim.createScimToken(own.caller);
  const statuses = [];
  for (let n = 0; n < 32; n++) statuses.push((await scim("GET", "/Users", { bearer: "wrong" })).status);
  assert.deepEqual([statuses.includes(401), statuses.at(-1)], [true, 429]);
  assert.equal((await scim("GET", "/Users", { bearer })).status, 200);
});
