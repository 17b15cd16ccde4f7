import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { MINUTE } from "../../src/lib/clock.ts";
import { connectMqtt, enrollDevice, newTenant, type TestTenant } from "../harness/devices.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type SignedIn, signIn } from "../harness/sign-in.ts";

let server: TestServer;
let tenant: TestTenant;
let admin: SignedIn;
let operator: SignedIn;
let viewer: SignedIn;
/** An admin of another tenant. */
let otherAdmin: SignedIn;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  [admin, operator, viewer] = [
    await signIn(server, tenant),
    await signIn(server, tenant, "operator"),
    await signIn(server, tenant, "viewer"),
  ];
  otherAdmin = await signIn(server, await newTenant(server));
});
after(() => server.stop());

/** A device that the viewer and the operator see. */
async function addDevice(id: string): Promise<void> {
  const memberUserIds = [viewer.userId, operator.userId];
  const group = await server.app.groups.createGroup(tenant.caller, { name: `group of ${id}`, memberUserIds });
  const { deviceTypeId } = tenant;
  await server.app.devices.createDevice(tenant.caller, { id, name: id, deviceTypeId, groupIds: [group.id] });
}

const issue = (user: SignedIn, deviceId: string) => user.call("POST", "/certificates", { body: { deviceId } });

async function refused(answer: ReturnType<SignedIn["call"]>, status: number, code: string): Promise<void> {
  const { status: answered, json } = await answer;
  assert.deepEqual([answered, json.error], [status, code]);
}

test("an admin issues a bundle, sees it with its chain, and revokes it; its key is shown once and never logged", async () => {
  await addDevice("boxed");
  const issued = await issue(admin, "boxed");
  assert.equal(issued.status, 201, issued.text);
  const { id, privateKeyPem, pkcs12Passphrase, clientCertPem, clientCertChainPem } = issued.json;
  assert.match(privateKeyPem, /PRIVATE KEY/);
  assert.equal(issued.headers.location, `/api/admin/certificates/${id}`);
  const { json: shown, headers } = await admin.call("GET", `/certificates/${id}`);
  assert.deepEqual([shown.pem, shown.session, shown.otherLiveCertificates], [clientCertPem, null, 0]);
  assert.equal(shown.issuedBy, `user:${admin.userId}`);
  assert.ok(headers.etag);
  const chain = await viewer.call("GET", `/certificates/${id}/chain`);
  assert.equal(chain.json.fullchainPem, clientCertPem + clientCertChainPem);
  assert.deepEqual(
    chain.json.issuers.map(({ role }: { role: string }) => role),
    ["device_intermediate", "device_root"],
  );
  assert.equal(new X509Certificate(chain.json.issuers[1].pem).ca, true);
  const revoked = await admin.call("DELETE", `/certificates/${id}`);
  assert.deepEqual([revoked.status, revoked.json], [200, { revoked: [id], liveSuccessor: null }]);
  assert.deepEqual((await admin.call("DELETE", `/certificates/${id}`)).json, { revoked: [], liveSuccessor: null });
  const secrets = [pkcs12Passphrase, privateKeyPem.split("\n")[1]];
  for (const line of server.logs) for (const secret of secrets) assert.ok(!line.includes(secret), "a log line");
});

test("certificates are listed by filters and order, restricted to the devices that the user sees", async () => {
  await addDevice("listed");
  const { json: bundle } = await issue(admin, "listed");
  const unseen = await enrollDevice(server, tenant);
  const list = async (user: SignedIn, query: string) => {
    const { status, json } = await user.call("GET", `/certificates?${query}`);
    assert.equal(status, 200, JSON.stringify(json));
    return json.items.map(({ deviceId }: { deviceId: string }) => deviceId);
  };
  assert.deepEqual((await list(admin, "sort=expiry&state=live")).slice(0, 1), [unseen.deviceId]);
  assert.deepEqual(await list(viewer, "kind=platform&state=live"), ["listed"]);
  assert.deepEqual(await list(viewer, `deviceId=${unseen.deviceId}`), []);
  assert.deepEqual(await list(otherAdmin, ""), []);
  const horizon = new Date(server.clock.now().getTime() + 31 * 24 * 60 * MINUTE).toISOString();
  assert.deepEqual(await list(operator, `expiresBefore=${horizon}`), []);
  assert.deepEqual(await list(admin, `expiresBefore=${horizon}`), [unseen.deviceId]);
  await refused(admin.call("GET", "/certificates?sort=expiry&state=revoked"), 400, "invalid_request");
  await refused(otherAdmin.call("GET", `/certificates/${bundle.id}`), 404, "certificate_not_found");
  await refused(otherAdmin.call("GET", `/certificates/${bundle.id}/chain`), 404, "certificate_not_found");
  await refused(otherAdmin.call("DELETE", `/certificates/${bundle.id}`), 404, "certificate_not_found");
  await refused(otherAdmin.call("DELETE", "/devices/listed/certificates"), 404, "device_not_found");
  await refused(issue(otherAdmin, "listed"), 404, "device_not_found");
});

test("revoking all certificates of a device has closed its session when the answer arrives", async () => {
  const device = await enrollDevice(server, tenant);
  const client = await connectMqtt(server, device);
  const closed = new Promise<void>((resolve) => void client.once("close", () => resolve()));
  const user = await signIn(server, tenant);
  const path = `/devices/${device.deviceId}/certificates`;
  const first = await user.call("DELETE", path);
  assert.deepEqual([first.status, first.json.revoked.length], [200, 1]);
  await closed;
  assert.deepEqual((await user.call("DELETE", path)).json, { revoked: [] });
});

test("a device type is created, shown, changed conditionally, compared with certificates, and deleted once nothing uses it", async () => {
  const user = await signIn(server, tenant);
  const body = { name: "Valve", publishTopics: ["state/{deviceId}"] };
  const made = await user.call("POST", "/device-types", { body });
  assert.equal(made.status, 201, made.text);
  const path = `/device-types/${made.json.id}`;
  const deviceTypeId = made.json.id;
  await server.app.devices.createDevice(tenant.caller, { id: "valve-1", name: "valve", deviceTypeId });
  await issue(user, "valve-1");
  const shown = await user.call("GET", path);
  assert.deepEqual(shown.json, { ...made.json, devices: 1, openClaims: 0 });
  const change = { body: { publishTopics: ["state/{deviceId}", "alarm/{deviceId}"] } };
  const ifMatch = (etag: string) => ({ ...change, headers: { "if-match": etag } });
  await refused(user.call("PATCH", path, ifMatch('"other"')), 412, "precondition_failed");
  assert.equal((await user.call("PATCH", path, ifMatch(String(shown.headers.etag)))).status, 200);
  await refused(user.call("PATCH", path, ifMatch(String(shown.headers.etag))), 412, "precondition_failed");
  const outdated = await user.call("GET", `${path}/outdated-devices`);
  assert.deepEqual([outdated.json.total, outdated.json.items[0].id], [1, "valve-1"]);
  assert.equal((await viewer.call("GET", `${path}/outdated-devices`)).json.total, 0);
  const inUse = await user.call("DELETE", path);
  assert.deepEqual([inUse.status, inUse.json.error, inUse.json.devices], [409, "in_use", 1]);
  await server.app.enrollment.deleteDevice(tenant.caller, "valve-1");
  assert.equal((await user.call("DELETE", path)).status, 204);
  await refused(user.call("GET", path), 404, "not_found");
  const { json } = await viewer.call("GET", "/device-types?limit=1");
  assert.deepEqual([json.total, json.limit, json.items[0].name], [1, 1, "Pump"]);
  await refused(otherAdmin.call("GET", `/device-types/${tenant.deviceTypeId}`), 404, "not_found");
  await refused(operator.call("POST", "/device-types", { body }), 403, "insufficient_role");
  await refused(operator.call("DELETE", `/device-types/${tenant.deviceTypeId}`), 403, "insufficient_role");
});

test("only admins issue and revoke, and they confirm with their password after ten minutes", async () => {
  await addDevice("guarded");
  for (const user of [operator, viewer]) {
    await refused(issue(user, "guarded"), 403, "insufficient_role");
    await refused(user.call("DELETE", "/certificates/x"), 403, "insufficient_role");
    await refused(user.call("DELETE", "/devices/guarded/certificates"), 403, "insufficient_role");
  }
  const late = await signIn(server, tenant);
  server.clock.advance(11 * MINUTE);
  await refused(issue(late, "guarded"), 403, "reauthentication_required");
  await refused(late.call("DELETE", "/certificates/x"), 403, "reauthentication_required");
  assert.equal((await late.call("GET", "/certificates")).status, 200);
});
