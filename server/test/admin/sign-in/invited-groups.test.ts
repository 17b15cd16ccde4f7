import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newTenant, type TestTenant } from "../../harness/devices.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { newBrowser, PASSWORD, type SignedIn, signIn, tokenOf } from "../../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  admin = await signIn(server, tenant);
});
after(() => server.stop());

const newGroup = async (name: string) => (await admin.call("POST", "/groups", { body: { name } })).json.id as string;
const members = async (id: string) => (await admin.call("GET", `/groups/${id}`)).json.memberUserIds as string[];
const invite = (email: string, groupIds: string[]) =>
  admin.call("POST", "/invites", { body: { email, role: "viewer", groupIds } });
const accept = (url: string) =>
  newBrowser(server).call("POST", "/invites/accept", { body: { token: tokenOf(url), password: PASSWORD } });

test("an invited person is a member of the named groups that still exist", async () => {
  const [hall, yard] = [await newGroup("Hall"), await newGroup("Yard")];
  const made = await invite("ada@example.com", [hall, yard, hall]);
  assert.deepEqual([made.status, made.json.groupIds], [201, [hall, yard]]);
  const { items } = (await admin.call("GET", "/invites")).json;
  assert.deepEqual(items[0].groupIds, [hall, yard]);
  assert.deepEqual(await members(hall), []);
  await admin.call("DELETE", `/groups/${yard}`);
  const accepted = await accept(made.json.url);
  assert.equal(accepted.status, 201, accepted.text);
  assert.deepEqual(await members(hall), [accepted.json.user.id]);
});

test("an unknown group and one of another tenant are refused with the id", async () => {
  const foreign = await server.app.groups.createGroup((await newTenant(server)).caller, { name: "Foreign" });
  for (const id of [foreign.id, "01a1fac2-4f95-7000-8000-000000000000", "no-uuid"]) {
    const { status, json } = await invite("bob@example.com", [id]);
    assert.deepEqual([status, json.error, json.detail], [400, "invalid_request", id]);
  }
});

test("an invitation of an admin who has been demoted joins no group", async () => {
  const hall = await newGroup("Hall");
  const other = await signIn(server, tenant);
  const made = await other.call("POST", "/invites", {
    body: { email: "eve@example.com", role: "viewer", groupIds: [hall] },
  });
  await server.app.access.changeUser(tenant.caller, other.userId, { role: "viewer" });
  const refused = await accept(made.json.url);
  assert.equal(refused.json.error, "link_expired");
  assert.deepEqual(await members(hall), []);
});
