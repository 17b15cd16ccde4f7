import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import mqtt from "mqtt";
import { MINUTE } from "../../src/lib/clock.ts";
import { newTenant, type TestTenant } from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let operator: SignedIn;
/** An admin of another tenant. */
let otherAdmin: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  [admin, operator] = [await signIn(server, tenant), await signIn(server, tenant, "operator")];
  otherAdmin = await signIn(server, await newTenant(server));
});
after(() => server.stop());

async function refused(answer: ReturnType<SignedIn["call"]>, status: number, code: string): Promise<void> {
  const { status: answered, json } = await answer;
  assert.deepEqual([answered, json.error], [status, code]);
}

function assertNotLogged(secret: string): void {
  assert.ok(secret.length >= 20);
  for (const line of server.logs) assert.ok(!line.includes(secret), "a secret in the log");
}

async function connect(clientId: string, username: string, password: string): Promise<mqtt.MqttClient> {
  const options = { clientId, username, password, ca: server.ca, reconnectPeriod: 0 };
  const client = await mqtt.connectAsync(`mqtts://localhost:${server.mqttPort}`, options);
  // The end of a session may appear as a broken connection.
  return client.on("error", () => undefined);
}

test("an MQTT client gets a password once, gets a new one on demand, which ends its session, and is deleted", async () => {
  const clientId = `gateway-${tenant.slug}`;
  const body = { clientId, username: clientId, subscribe: [`t/${tenant.slug}/telemetry/+`] };
  const made = await admin.call("POST", "/mqtt-clients", { body });
  assert.equal(made.status, 201, made.text);
  const first = await connect(clientId, clientId, made.json.password);
  const closed = new Promise<void>((resolve) => void first.once("close", () => resolve()));
  const rotated = await admin.call("POST", `/mqtt-clients/${clientId}/password`);
  assert.deepEqual([rotated.status, rotated.json.clientId, rotated.json.username], [200, clientId, clientId]);
  await closed;
  assert.notEqual(rotated.json.password, made.json.password);
  await assert.rejects(connect(clientId, clientId, made.json.password));
  await (await connect(clientId, clientId, rotated.json.password)).endAsync(true);
  for (const { json } of [made, rotated]) assertNotLogged(json.password);
  const { json } = await admin.call("GET", "/mqtt-clients");
  assert.deepEqual([json.total, json.items[0].clientId, json.items[0].subscribe], [1, clientId, body.subscribe]);
  assert.equal((await otherAdmin.call("GET", "/mqtt-clients")).json.total, 0);
  await refused(otherAdmin.call("POST", `/mqtt-clients/${clientId}/password`), 404, "not_found");
  await refused(otherAdmin.call("DELETE", `/mqtt-clients/${clientId}`), 404, "not_found");
  await refused(admin.call("POST", "/mqtt-clients", { body }), 409, "client_id_in_use");
  const other = { body: { clientId: `${clientId}-2`, username: clientId } };
  await refused(otherAdmin.call("POST", "/mqtt-clients", other), 409, "username_taken");
  await refused(operator.call("GET", "/mqtt-clients"), 403, "insufficient_role");
  await refused(operator.call("POST", `/mqtt-clients/${clientId}/password`), 403, "insufficient_role");
  assert.equal((await admin.call("DELETE", `/mqtt-clients/${clientId}`)).status, 204);
  await refused(admin.call("DELETE", `/mqtt-clients/${clientId}`), 404, "not_found");
});

test("a disabled MQTT client is refused until it is enabled, with its old password, unless another client has its client id", async () => {
  const clientId = `press-${tenant.slug}`;
  const path = `/mqtt-clients/${clientId}`;
  const made = await admin.call("POST", "/mqtt-clients", { body: { clientId, username: clientId } });
  const { password } = made.json;
  const session = await connect(clientId, clientId, password);
  const closed = new Promise<void>((resolve) => void session.once("close", () => resolve()));
  assert.equal((await admin.call("POST", `${path}/disable`)).status, 204);
  await closed;
  await assert.rejects(connect(clientId, clientId, password));
  assert.equal((await admin.call("POST", `${path}/disable`)).status, 204, "may be repeated");
  for (const act of ["disable", "enable"]) {
    await refused(otherAdmin.call("POST", `${path}/${act}`), 404, "not_found");
    await refused(operator.call("POST", `${path}/${act}`), 403, "insufficient_role");
  }
  for (const repeated of [1, 2]) assert.equal((await admin.call("POST", `${path}/enable`)).status, 204, `${repeated}`);
  await (await connect(clientId, clientId, password)).endAsync(true);
  await admin.call("POST", `${path}/disable`);
  const { json: other } = await otherAdmin.call("POST", "/mqtt-clients", {
    body: { clientId, username: `${clientId}-2` },
  });
  await refused(admin.call("POST", `${path}/enable`), 409, "client_id_in_use");
  await (await connect(clientId, `${clientId}-2`, other.password)).endAsync(true);
  await otherAdmin.call("DELETE", path);
  await admin.call("POST", "/mqtt-clients", { body: { clientId: `${clientId}-3`, username: clientId } });
  await refused(admin.call("POST", `${path}/enable`), 409, "username_taken");
  const acts = (await admin.call("GET", `/audit/admin?target=${clientId}`)).json.items;
  assert.deepEqual(
    acts.map(({ act }: { act: string }) => act),
    ["mqtt-client.disable", "mqtt-client.enable", "mqtt-client.disable", "mqtt-client.create"],
  );
  for (const id of [clientId, `${clientId}-3`]) await admin.call("DELETE", `/mqtt-clients/${id}`);
});

test("an administrator chooses among all groups, other users among their own", async () => {
  const { groups } = server.app;
  const [mine, all] = [`Mine ${tenant.slug}`, `All ${tenant.slug}`];
  await groups.createGroup(tenant.caller, { name: all });
  await groups.createGroup(tenant.caller, { name: mine, memberUserIds: [operator.userId] });
  const names = async (who: SignedIn, query = "") =>
    (await who.call("GET", `/groups${query}`)).json.items.map(({ name }: { name: string }) => name);
  assert.deepEqual(await names(admin, `?q=${tenant.slug}`), [mine, all]);
  assert.deepEqual(await names(operator), [mine]);
  assert.deepEqual(await names(otherAdmin), []);
});

test("a key belongs to the admin who creates it, shows its writes, and is revoked by its tenant alone", async () => {
  const user = await signIn(server, tenant);
  const request = { name: "Dashboard", scopes: ["groups:write", "devices:*"], expiresInDays: 30 };
  const made = await user.call("POST", "/keys", { body: request });
  assert.equal(made.status, 201, made.text);
  const { id, key } = made.json;
  assertNotLogged(key.slice(14));
  const headers = { "x-api-key": key };
  const group = await https(`${server.httpUrl}/api/v1/groups`, { ca: server.ca, headers, body: { name: "by a key" } });
  assert.equal(group.status, 201, group.text);
  const writes = await admin.call("GET", `/keys/${id}/writes`);
  assert.deepEqual([writes.json.total, writes.json.items[0].resourceId], [1, group.json.id]);
  const [listed] = (await admin.call("GET", `/keys?userId=${user.userId}`)).json.items;
  assert.deepEqual(
    [listed.id, listed.user, listed.scopes, listed.revokedAt, listed.endedBy],
    [id, user.email, request.scopes, null, null],
  );
  const calls = [
    ["GET", `/keys/${id}/writes`],
    ["DELETE", `/keys/${id}`],
  ] as const;
  for (const [method, path] of calls) {
    await refused(otherAdmin.call(method, path), 404, "not_found");
    await refused(operator.call(method, path), 403, "insufficient_role");
  }
  assert.equal((await https(`${server.httpUrl}/api/v1/devices`, { ca: server.ca, headers })).status, 200);
  assert.equal((await admin.call("DELETE", `/keys/${id}`)).status, 204);
  assert.equal((await https(`${server.httpUrl}/api/v1/devices`, { ca: server.ca, headers })).status, 401);
  const [ended] = (await admin.call("GET", "/keys?state=ended")).json.items;
  assert.deepEqual(
    [ended.id, ended.revocationReason, ended.endedBy.act, ended.endedBy.actor, ended.endedBy.target],
    [id, "requested", "key.revoke", `user:${admin.userId}`, id],
  );
  await refused(user.call("POST", "/keys", { body: { ...request, scopes: ["everything"] } }), 400, "invalid_request");
});

test("a key that ended with a change of its owner names that change", async () => {
  const owner = await signIn(server, tenant);
  const body = { name: "short-lived", scopes: ["devices:read"] };
  const { json: made } = await owner.call("POST", "/keys", { body });
  const { json: revokedBefore } = await owner.call("POST", "/keys", { body });
  await owner.call("DELETE", `/keys/${revokedBefore.id}`);
  await server.app.access.deactivateUser(tenant.caller, owner.email);
  const { json } = await admin.call("GET", `/keys?userId=${owner.userId}`);
  const ends = json.items.map((key: { id: string; endedBy: { act: string; target: string } }) => [
    key.id,
    key.endedBy.act,
    key.endedBy.target,
  ]);
  assert.deepEqual(
    new Map(ends.map(([id, ...end]: string[]) => [id, end])),
    new Map([
      [made.id, ["user.deactivate", owner.userId]],
      [revokedBefore.id, ["key.revoke", revokedBefore.id]],
    ]),
  );
  const { json: entry } = await admin.call("GET", `/audit/admin?target=${owner.userId}&act=user.deactivate`);
  assert.deepEqual([entry.total, entry.items[0].after.revokedKeys], [1, [made.id]]);
});

test("revocations and keys that may issue, end identities or change webhooks need a password at most ten minutes old", async () => {
  const late = await signIn(server, tenant);
  server.clock.advance(11 * MINUTE);
  const create = (...scopes: string[]) => late.call("POST", "/keys", { body: { name: "x", scopes } });
  assert.equal((await create("devices:read", "provisioning:read")).status, 201);
  const sensitive = ["provisioning:write", "device-certificates:issue", "device-certificates:read"];
  for (const scope of [...sensitive, "device-registry:delete", "webhooks:write", "webhooks:*"])
    await refused(create("devices:read", scope), 403, "reauthentication_required");
  await refused(late.call("DELETE", "/keys/x"), 403, "reauthentication_required");
  await refused(late.call("PATCH", "/tenant", { body: { name: "x" } }), 403, "reauthentication_required");
  const again = await signIn(server, tenant);
  const created = await again.call("POST", "/keys", { body: { name: "x", scopes: ["provisioning:write"] } });
  assert.equal(created.status, 201);
});

test("the audits are listed with filters and totals, for admins of their tenant", async () => {
  const user = await signIn(server, tenant);
  const { json: type } = await user.call("POST", "/device-types", { body: { name: "Audited", publishTopics: [] } });
  const acts = await user.call("GET", `/audit/admin?act=device-type.&actor=user:${user.userId}&limit=1`);
  assert.equal(acts.status, 200, acts.text);
  const [entry] = acts.json.items;
  assert.deepEqual(
    [acts.json.total, acts.json.limit, entry.act, entry.target, entry.before, entry.after.name, entry.address],
    [1, 1, "device-type.create", type.id, null, "Audited", "127.0.0.1"],
  );
  await server.app.devices.createDevice(tenant.caller, { id: "audited", name: "x" });
  await server.app.enrollment.issueBundle(tenant.caller, { deviceId: "audited" });
  const certificates = await user.call("GET", "/audit/certificates?deviceId=audited&kind=device_cert_minted");
  assert.deepEqual([certificates.json.total, certificates.json.items[0].actor], [1, "system"]);
  const from = new Date(server.clock.now().getTime() + MINUTE).toISOString();
  assert.equal((await user.call("GET", `/audit/certificates?from=${from}`)).json.total, 0);
  assert.equal((await user.call("GET", `/audit/api?resource=group&to=${from}`)).json.total, 1);
  for (const audit of ["api", "certificates", "admin"]) {
    await refused(operator.call("GET", `/audit/${audit}`), 403, "insufficient_role");
    const { text } = await otherAdmin.call("GET", `/audit/${audit}?limit=200`);
    for (const ours of [type.id, "audited", user.userId]) assert.ok(!text.includes(ours), text);
  }
});

test("a tenant is shown with its quotas; its name and retention are changed together and recorded", async () => {
  const user = await signIn(server, tenant);
  const { json: before } = await user.call("GET", "/tenant");
  assert.deepEqual([before.slug, before.telemetryRetentionDays], [tenant.slug, 90]);
  const users = before.quotas.find(({ quota }: { quota: string }) => quota === "users");
  assert.ok(users.used >= 4 && users.limit > users.used);
  const changed = await user.call("PATCH", "/tenant", { body: { name: "New name", telemetryRetentionDays: 30 } });
  assert.deepEqual([changed.status, changed.json.name, changed.json.telemetryRetentionDays], [200, "New name", 30]);
  await user.call("PATCH", "/tenant", { body: { name: "New name" } });
  const { json } = await user.call("GET", "/audit/admin?act=tenant.update");
  const unchanged = { adminsNeedFactor: false, lastResort: "admins", flapsAbove: 10, causeWaitMinutes: 2 };
  assert.deepEqual(
    [json.total, json.items[0].before, json.items[0].after],
    [
      1,
      { name: before.name, telemetryRetentionDays: 90, ...unchanged },
      { name: "New name", telemetryRetentionDays: 30, ...unchanged },
    ],
  );
  for (const body of [{ telemetryRetentionDays: 31 }, { name: "" }, { slug: "x" }])
    await refused(user.call("PATCH", "/tenant", { body }), 400, "invalid_request");
  await refused(operator.call("GET", "/tenant"), 403, "insufficient_role");
  await refused(operator.call("PATCH", "/tenant", { body: {} }), 403, "insufficient_role");
});

test("histories name their actors (users, even deleted ones, keys, claims and devices) to those who may see them", async () => {
  const user = await signIn(server, tenant);
  const { json: key } = await user.call("POST", "/keys", { body: { name: "SCADA", scopes: ["devices:read"] } });
  const { json: claim } = await user.call("POST", "/claims", { body: { intendedName: "Feed pump 1" } });
  const actors = [`user:${user.userId}`, `apikey:${key.id}`, `claim:${claim.id}`, "device:named"];
  await server.app.devices.createDevice(tenant.caller, { id: "named", name: "Feed pump 9" });
  actors.push("user:nobody", "device:x", "system");
  const ask = (who: SignedIn) => who.call("GET", `/actors?actors=${actors.join(",")}`);
  const nowhere = { groupIds: [], place: null };
  const [ofUser, ...others] = [
    { actor: actors[0], name: user.email, email: user.email, deleted: false, ...nowhere },
    { actor: actors[1], name: "SCADA", email: null, deleted: false, ...nowhere },
    { actor: actors[2], name: "Feed pump 1", email: null, deleted: false, ...nowhere },
    { actor: actors[3], name: "Feed pump 9", email: null, deleted: false, ...nowhere },
  ];
  assert.deepEqual((await ask(admin)).json.items, [ofUser, ...others]);
  assert.deepEqual((await ask(operator)).json.items, [ofUser]);
  assert.deepEqual((await ask(otherAdmin)).json.items, []);
  await server.app.access.deleteUser(tenant.caller, user.email);
  assert.deepEqual((await ask(admin)).json.items, [{ ...ofUser, deleted: true }, ...others]);
  const many = Array.from({ length: 101 }, (_, index) => `user:${index}`).join(",");
  for (const asked of [many, "user:a\u0000", ""].map(encodeURIComponent))
    await refused(admin.call("GET", `/actors?actors=${asked}`), 400, "invalid_request");
});
