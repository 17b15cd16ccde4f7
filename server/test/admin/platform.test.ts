import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MINUTE } from "../../src/lib/clock.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { newBrowser, type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
/** A user who runs the installation. */
let owner: SignedIn;
/** An admin who does not. */
let admin: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
  owner = await platformUser();
});
after(() => server.stop());

async function platformUser(): Promise<SignedIn> {
  const { userId, email, password } = await signIn(server, tenant);
  await runSql(server.app.database.db, "UPDATE users SET platform = true WHERE id = $1", [userId]);
  const browser = newBrowser(server);
  assert.equal((await browser.call("POST", "/session", { body: { email, password } })).status, 200);
  return { userId, email, password, role: "admin", call: browser.call, cookie: browser.cookie() };
}

const CALLS = [
  ["GET", "/platform/tenants"],
  ["POST", "/platform/tenants", { body: { slug: "x", name: "x", adminEmail: "x@example.com" } }],
  ["GET", "/platform/ca"],
  ["POST", "/platform/ca", { body: { rotation: "intermediate" } }],
  ["GET", "/platform/doctor"],
  ["GET", "/platform/refusals"],
] as const;

test("only users who run the installation can use it, whatever their role", async () => {
  const users = [admin, await signIn(server, tenant, "operator"), await signIn(server, tenant, "viewer")];
  for (const user of users) {
    for (const [method, path, options] of CALLS) {
      const { status, json } = await user.call(method, path, options);
      assert.deepEqual([status, json.error, json.detail], [403, "insufficient_role", "platform"], `${method} ${path}`);
    }
  }
  const { json } = await owner.call("GET", "/session");
  for (const id of ["createTenant", "rotateAuthorities", "runChecks"]) assert.ok(json.operations.includes(id), id);
  assert.ok(!(await admin.call("GET", "/session")).json.operations.includes("createTenant"));
});

test("a tenant admin cannot reset an operator of the installation and impersonate them; another operator can", async () => {
  const other = await platformUser();
  const reset = (user: SignedIn) => user.call("POST", `/users/${other.userId}/reset`);
  const resetFactor = (user: SignedIn) => user.call("DELETE", `/users/${other.userId}/factor`);
  for (const { status, json } of [await reset(admin), await resetFactor(admin)])
    assert.deepEqual([status, json.error, json.detail], [403, "insufficient_role", "platform"]);
  assert.equal((await other.call("GET", "/session")).status, 200);
  assert.deepEqual([(await reset(owner)).status, (await resetFactor(owner)).status], [201, 204]);
  assert.equal((await admin.call("POST", `/users/${admin.userId}/reset`)).status, 201);
});

test("a tenant is created with an admin who can sign in, and both tenants' audits name the creator; its data is not shown", async () => {
  const body = { slug: "second", name: "Second", adminEmail: "bo@second.example" };
  const made = await owner.call("POST", "/platform/tenants", { body });
  assert.equal(made.status, 201, made.text);
  const { id, admin: first } = made.json;
  for (const line of server.logs) assert.ok(!line.includes(first.password), "a password in the log");
  const browser = newBrowser(server);
  const credentials = { email: first.email, password: first.password };
  const session = await browser.call("POST", "/session", { body: credentials });
  assert.deepEqual([session.status, session.json.tenant.slug, session.json.user.platform], [200, "second", false]);
  const { access } = server.app;
  for (const caller of [await access.systemCaller("second"), tenant.caller]) {
    const { items } = await access.listAdminActs(caller, { target: id, skip: 0, limit: 10 });
    assert.deepEqual(
      items.map(({ act, actor }) => [act, actor]),
      [["tenant.create", `user:${owner.userId}`]],
    );
  }
  const { json } = await owner.call("GET", "/platform/tenants?limit=1");
  const { admin: _, ...summary } = made.json;
  assert.deepEqual([json.total >= 2, json.items], [true, [summary]]);
  const again = await owner.call("POST", "/platform/tenants", { body: { ...body, adminEmail: "cy@second.example" } });
  assert.deepEqual([again.status, again.json.error, again.json.detail], [409, "already_exists", "second"]);
  const taken = await owner.call("POST", "/platform/tenants", { body: { ...body, slug: "third" } });
  assert.deepEqual([taken.status, taken.json.error], [409, "already_exists"]);
  assert.equal((await owner.call("GET", "/platform/tenants")).json.total, json.total);
});

test("an intermediate is rotated with an overlap, and recorded as the user's action on the installation", async () => {
  const before = (await owner.call("GET", "/platform/ca")).json.items;
  const { status, json } = await owner.call("POST", "/platform/ca", { body: { rotation: "intermediate" } });
  assert.equal(status, 200);
  assert.equal(json.items.length, before.length + 1);
  const statuses = json.items.flatMap((each: { role: string; status: string }) =>
    each.role === "device_intermediate" ? [each.status] : [],
  );
  assert.deepEqual(statuses, ["retiring", "active"]);
  const [act] = await server.app.access.listInstallationActs({ skip: 0, limit: 1 });
  assert.deepEqual(
    [act!.act, act!.actor, act!.address],
    ["ca.rotate-intermediate", `user:${owner.userId}`, "127.0.0.1"],
  );
  assert.equal((await owner.call("POST", "/platform/ca", { body: { rotation: "all" } })).status, 400);
});

test("the checks show no tenant's records, and only refusals without a tenant", async () => {
  const { status, json } = await owner.call("GET", "/platform/doctor");
  assert.deepEqual([status, json.healthy], [200, true]);
  for (const check of json.checks) assert.deepEqual(Object.keys(check).sort(), ["broken", "level", "name", "ok"]);
  const { connections } = server.app;
  connections.recordRefusal({ reason: "unknown", clientId: "nobodys", remoteAddress: "203.0.113.7" });
  const { tenantId } = tenant.caller;
  connections.recordRefusal({ reason: "expired", clientId: "ours", tenantId, remoteAddress: "203.0.113.8" });
  const { json: refusals } = await owner.call("GET", "/platform/refusals");
  assert.deepEqual(
    [refusals.total, refusals.items.map(({ clientId }: { clientId: string }) => clientId)],
    [1, ["nobodys"]],
  );
});

test("rotating an authority needs a password at most ten minutes old", async () => {
  const late = await platformUser();
  server.clock.advance(11 * MINUTE);
  const { status, json } = await late.call("POST", "/platform/ca", { body: { rotation: "server" } });
  assert.deepEqual([status, json.error], [403, "reauthentication_required"]);
});
