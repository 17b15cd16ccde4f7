import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Role, SCOPES } from "../../src/access/access.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import { openStream } from "../harness/http/event-streams.ts";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

/** API keys never have more than the current rights of the user who owns them. */
let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
});
after(() => server.stop());

/** An admin with an API key of every scope. */
async function newOwner() {
  const owner = await signIn(server, tenant);
  const input = { user: owner.email, name: "Integration", scopes: SCOPES };
  const { id, key } = await server.app.access.createKey(tenant.caller, input);
  const call = (method: string, path: string, body?: object) =>
    https(`${server.httpUrl}/api/v1${path}`, {
      ca: server.ca,
      method,
      headers: { "x-api-key": key },
      ...(body ? { body } : {}),
    });
  const setRole = async (role: Role) => {
    const { status } = await admin.call("PATCH", `/users/${owner.userId}`, { body: { role } });
    assert.equal(status, 200);
  };
  return { ...owner, id, key, api: call, setRole };
}

const CLAIM = { intendedName: "Pump" };

test("a demotion of its owner takes effect at the next request of a key, and so does the restored role", async () => {
  const owner = await newOwner();
  const mint = async () => (await owner.api("POST", "/provisioning/claims", CLAIM)).status;
  const addPack = async () => (await owner.api("POST", "/thresholds", PACK)).status;
  assert.deepEqual([await mint(), await addPack()], [201, 201]);
  await owner.setRole("operator");
  assert.deepEqual([await mint(), await addPack()], [403, 201]);
  await owner.setRole("viewer");
  const { status, json } = await owner.api("POST", "/provisioning/claims", CLAIM);
  assert.deepEqual([status, json.error, json.detail], [403, "insufficient_scope", "provisioning:write"]);
  assert.match(json.message, /owner of this key is now a viewer/);
  assert.deepEqual([await addPack(), (await owner.api("GET", "/devices")).status], [403, 200]);
  await owner.setRole("admin");
  assert.deepEqual([await mint(), await addPack()], [201, 201]);
});

const PACK = {
  name: "Hot",
  rules: [{ metric: "temperature", operator: "gt", value: 90, severity: "major" }],
};

test("a key of a former admin sees the devices of that user's groups, as the user does", async () => {
  const owner = await newOwner();
  const { devices, groups } = server.app;
  const { id: group } = await groups.createGroup(tenant.caller, { name: "Hall", memberUserIds: [owner.userId] });
  const seen = await devices.createDevice(tenant.caller, { name: "Seen", groupIds: [group] });
  const hidden = await devices.createDevice(tenant.caller, { name: "Hidden" });
  const list = async () => (await owner.api("GET", "/devices")).json.items.map(({ id }: { id: string }) => id).sort();
  const get = async ({ id }: { id: string }) => (await owner.api("GET", `/devices/${id}`)).status;
  assert.deepEqual(await list(), [seen.id, hidden.id].sort());
  await owner.setRole("operator");
  assert.deepEqual([await list(), await get(seen), await get(hidden)], [[seen.id], 200, 404]);
});

test("an event stream that was opened with more rights ends when the owner's role changes", async () => {
  const owner = await newOwner();
  const open = () => openStream(server, "/api/v1/events?kinds=device.", { "x-api-key": owner.key });
  const stream = await open();
  assert.equal(stream.status, 200);
  await owner.setRole("viewer");
  await stream.ended;
  const again = await open();
  assert.equal(again.status, 200, "the key may follow what a viewer sees");
  again.close();
});

test("the list of keys names scopes without effect, and the effect of a role change is shown beforehand", async () => {
  const owner = await newOwner();
  const impact = async (role: Role) =>
    (await admin.call("GET", `/users/${owner.userId}/impact?role=${role}`)).json.keys[0];
  const writes = (await impact("operator")).ineffectiveScopes;
  assert.ok(writes.includes("provisioning:write") && !writes.includes("tickets:write"), String(writes));
  const ofViewer: string[] = (await impact("viewer")).ineffectiveScopes;
  assert.ok(ofViewer.includes("tickets:write") && !ofViewer.includes("devices:read"));
  assert.deepEqual((await impact("admin")).ineffectiveScopes, []);
  const listed = async () =>
    (await admin.call("GET", `/keys?userId=${owner.userId}`)).json.items.map(
      ({ ownerRole, ineffectiveScopes }: Record<string, unknown>) => [ownerRole, ineffectiveScopes],
    );
  assert.deepEqual(await listed(), [["admin", []]]);
  await owner.setRole("viewer");
  assert.deepEqual(await listed(), [["viewer", ofViewer]]);
});
