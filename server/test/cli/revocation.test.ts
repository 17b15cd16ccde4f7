import assert from "node:assert/strict";
import { createHash, createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { makeCsr } from "../../../agent/src/csr.ts";
import { certificatesFromPem } from "../../src/pki/pki.ts";
import {
  closed,
  connectMqtt,
  enrollDevice,
  newTenant,
  redeem,
  redemption,
  renew,
  type TestDevice,
} from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { startShell, type TestShell } from "../harness/processes/shell.ts";
import type { TestServer } from "../harness/server.ts";

let shell: TestShell;
let server: TestServer;
let { json, muster, refused } = {} as TestShell;

before(async () => {
  shell = await startShell();
  ({ server, json, muster, refused } = shell);
});
after(() => shell.stop());

/** Returns the SHA-256 of the SPKI, as `openssl pkey -pubout -outform der | sha256sum` prints it. */
function spkiSha256(key: string): string {
  const spki = createPublicKey(createPrivateKey(key)).export({ format: "der", type: "spki" });
  return createHash("sha256").update(spki).digest("hex");
}

async function connected(device: TestDevice) {
  const client = await connectMqtt(server, device);
  client.on("error", () => undefined);
  return { gone: closed(client), end: () => client.end(true) };
}

async function idsOf(slug: string, device: TestDevice): Promise<string[]> {
  const { items } = await json("certificate", "list", "--tenant", slug, "--device", device.deviceId);
  return items.map(({ id }: { id: string }) => id);
}

test("revoking a superseded certificate warns of its valid successor, and --chain revokes that too", async () => {
  const tenant = await newTenant(server);
  const device = await enrollDevice(server, tenant);
  const renewed = await renew(server, device);
  const again = await renew(server, { ...device, ...identity(renewed) });
  const [live, middle, first] = await idsOf(tenant.slug, device);
  const newest = { ...device, ...identity(again) };
  const session = await connected(newest);

  const { stdout, code } = await muster(["certificate", "revoke", first!]);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^Certificate .* was already revoked; its sessions are closed\.\nWARNING: a renewal replaced it by /,
  );
  assert.ok(stdout.includes(live!) && stdout.includes(`muster certificate revoke ${first} --chain`), stdout);
  assert.equal((await json("certificate", "revoke", middle!)).liveSuccessor.id, live);
  (await connected(newest)).end();

  const chained = await json("certificate", "revoke", first!, "--chain");
  assert.deepEqual(chained, { id: first, revoked: [live], liveSuccessor: null });
  await session.gone;
  await assert.rejects(connectMqtt(server, newest));
  const { stdout: repeated } = await muster(["certificate", "revoke", first!]);
  assert.doesNotMatch(repeated, /WARNING/);
  const { items } = await json("admin-audit", "--tenant", tenant.slug, "--limit", "1");
  assert.deepEqual([items[0].act, items[0].target, items[0].after.revoked], ["certificate.revoke", first, [live]]);
});

function identity({ answer, key }: Awaited<ReturnType<typeof renew>>) {
  const { clientCert: cert, clientCertChain: chain } = answer.json;
  return { key, cert, chain, fullchain: cert + chain };
}

test("revoking an active certificate closes its session without a warning", async () => {
  const tenant = await newTenant(server);
  const device = await enrollDevice(server, tenant);
  const session = await connected(device);
  const [id] = await idsOf(tenant.slug, device);
  const { stdout } = await muster(["certificate", "revoke", id!]);
  assert.equal(stdout, `Revoked certificate ${id} and closed its sessions.\n`);
  await session.gone;
  assert.equal(await refused("certificate", "revoke", "no-id"), "muster: There is no such certificate.");
});

test("blocking a key ends its certificates and sessions in every tenant, and it is refused at enrollment and renewal", async () => {
  const [one, other] = [await newTenant(server), await newTenant(server)];
  const bystander = await enrollDevice(server, one);
  const device = await enrollDevice(server, one);
  const claim = await server.app.enrollment.createClaim(other.caller, { intendedName: "Clone", maxUses: 2 });
  const csr = makeCsr(createPrivateKey(device.key));
  const { body } = await redemption(claim.claimCode, { csr });
  const copy = (await redeem(server, body)).json;
  const clone = { ...device, deviceId: copy.deviceId, fullchain: copy.mqtt.clientCert + copy.mqtt.clientCertChain };
  const sessions = [await connected(device), await connected(clone)];

  const hash = spkiSha256(device.key);
  const blocked = await json("key", "block", hash.toUpperCase().replace(/(..)(?!$)/g, "$1:"));
  assert.equal(blocked.spkiSha256, hash);
  assert.deepEqual(
    blocked.revoked.map(({ deviceId }: { deviceId: string }) => deviceId).sort(),
    [device.deviceId, clone.deviceId].sort(),
  );
  await Promise.all(sessions.map(({ gone }) => gone));
  for (const each of [device, clone]) await assert.rejects(connectMqtt(server, each));
  (await connected(bystander)).end();

  const { body: next } = await redemption(claim.claimCode, { csr });
  const answer = await redeem(server, next);
  assert.deepEqual([answer.status, answer.json.error], [400, "invalid_csr"]);
  const renewal = await https(`${server.httpUrl}/api/provisioning/cert/renew`, {
    body: { csr },
    ca: server.ca,
    cert: bystander.fullchain,
    key: bystander.key,
  });
  assert.deepEqual([renewal.status, renewal.json.error], [400, "invalid_csr"]);

  for (const tenant of [one, other]) {
    const { items } = await json("admin-audit", "--tenant", tenant.slug, "--limit", "1");
    assert.deepEqual(
      [items[0].act, items[0].target, items[0].after.revokedCertificates.length],
      ["key.block", hash, 1],
    );
  }
  const { items } = await json("admin-audit", "--limit", "1");
  assert.deepEqual([items[0].act, items[0].target, items[0].after], ["key.block", hash, { revokedCertificates: 2 }]);
  assert.deepEqual((await json("key", "block", hash)).revoked, [], "repeats harmlessly");
  assert.equal((await muster(["doctor", "--deep"])).code, 0);
});

test("a key is blocked by naming a certificate that has it, and invalid input is refused with the reason", async () => {
  const tenant = await newTenant(server);
  const device = await enrollDevice(server, tenant);
  const [id] = await idsOf(tenant.slug, device);
  const { stdout } = await muster(["key", "block", "--certificate", id!]);
  assert.match(stdout, new RegExp(`^Blocked key ${spkiSha256(device.key)}: .*\n.* 1 certificate and`));
  assert.match(await refused("key", "block", "abc"), /64 hexadecimal digits\. \(abc\)$/);
  assert.match(await refused("key", "block"), /Give either/);
  assert.match(await refused("key", "block", "0".repeat(64), "--certificate", id!), /Give either/);
});

test("an MQTT client is listed, disabled and deleted by its client id, which ends its session and refuses its password", async () => {
  const { slug } = await newTenant(server);
  const tenant = ["--tenant", slug];
  const [clientId, username] = [`${slug}-gw`, `${slug}-gw`];
  const create = ["mqtt-client", "create", ...tenant, "--client-id", clientId, "--username", username];
  for (const verb of ["disable", "delete"]) {
    const { password } = await json(...create, "--subscribe", `t/${slug}/#`);
    const connect = () =>
      connectMqtt(server, { deviceId: clientId, fullchain: "", key: "", ca: server.ca }, { username, password });
    const client = await connect();
    const gone = closed(client);
    const [listed] = (await json("mqtt-client", "list", ...tenant)).items;
    assert.deepEqual([listed.clientId, listed.connected, listed.subscribe], [clientId, true, [`t/${slug}/#`]]);
    assert.ok(!JSON.stringify(listed).includes(password));
    assert.match((await muster(["mqtt-client", verb, ...tenant, clientId])).stdout, /its session is closed/);
    await gone;
    await assert.rejects(connect());
    await client.endAsync(true);
  }
  assert.deepEqual((await json("mqtt-client", "list", ...tenant)).items, []);
  assert.equal(await refused("mqtt-client", "delete", ...tenant, clientId), "muster: There is no such MQTT client.");
  const foreign = await newTenant(server);
  await json(...create);
  const asForeign = ["mqtt-client", "disable", "--tenant", foreign.slug, clientId];
  assert.equal(await refused(...asForeign), "muster: There is no such MQTT client.");
});

test("refusals are listed with their reasons", async () => {
  const tenant = await newTenant(server);
  const device = await enrollDevice(server, tenant);
  const [id] = await idsOf(tenant.slug, device);
  await json("certificate", "revoke", id!);
  await assert.rejects(connectMqtt(server, device));
  const { items } = await json("refusal", "list", "--tenant", tenant.slug);
  assert.deepEqual([items[0].reason, items[0].deviceId], ["revoked", device.deviceId]);
  const { stdout } = await muster(["refusal", "list", "--tenant", tenant.slug, "--limit", "1"]);
  assert.match(stdout, new RegExp(`^AT +REASON +CLIENT .*\\n.*  revoked \\(requested\\)  ${device.deviceId}  `));
});

test("a refused certificate that a renewal had replaced is listed as superseded", async () => {
  const tenant = await newTenant(server);
  const device = await enrollDevice(server, tenant);
  await renew(server, device);
  await assert.rejects(connectMqtt(server, device));
  const { items } = await json("refusal", "list", "--tenant", tenant.slug);
  assert.deepEqual([items[0].reason, items[0].revocationReason], ["revoked", "superseded"]);
  assert.match(items[0].cause, /^The certificate was replaced by a renewal/);
  const { stdout } = await muster(["refusal", "list", "--tenant", tenant.slug]);
  assert.match(stdout, new RegExp(`  revoked \\(superseded\\)  ${device.deviceId}  `));
});

test("a command for a device whose certificates are revoked is queued with a warning", async () => {
  const tenant = await newTenant(server);
  const device = await enrollDevice(server, tenant);
  const { devices } = server.app;
  const { deviceTypeId } = await devices.getDevice(tenant.caller, device.deviceId);
  await devices.updateDeviceType(tenant.caller, deviceTypeId!, { subscribeTopics: ["commands/{deviceId}"] });
  const topic = `t/${tenant.slug}/commands/${device.deviceId}`;
  const send = ["device", "send", device.deviceId, "--tenant", tenant.slug, "--topic", topic, "--payload", "open"];
  assert.doesNotMatch((await muster(send)).stdout, /WARNING/);
  const [id] = await idsOf(tenant.slug, device);
  await json("certificate", "revoke", id!);
  assert.match((await muster(send)).stdout, /^WARNING: device \S+ has no valid certificate \(revoked\), so it cannot/m);
});

test("ca export prints the public roots and intermediates as PEM", async () => {
  const { stdout } = await muster(["ca", "export"]);
  assert.doesNotMatch(stdout, /PRIVATE/);
  const printed = certificatesFromPem(stdout).map((der) => der.toString("base64"));
  const { authorities } = server.app;
  const expected = [...authorities.deviceRootsDer(), ...authorities.intermediatesDer()].map((der) =>
    der.toString("base64"),
  );
  for (const der of expected) assert.ok(printed.includes(der));
  assert.ok(printed.includes(Buffer.from(new X509Certificate(authorities.serverCaBundlePem()).raw).toString("base64")));
  assert.equal(printed.length, 3);
  const { authorities: listed } = await json("ca", "export");
  assert.deepEqual(listed.map(({ role }: { role: string }) => role).sort(), [
    "device_intermediate",
    "device_root",
    "server_root",
  ]);
});
