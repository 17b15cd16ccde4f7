import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeCsr, makeKey } from "../../../agent/src/csr.ts";
import {
  connectMqtt,
  enrollDevice,
  newKey,
  newTenant,
  redeem,
  redemption,
  renew,
  type TestTenant,
} from "../harness/devices.ts";
import { https } from "../harness/http/https.ts";
import { startServer, TEST_MASTER_KEY, type TestServer } from "../harness/server.ts";
import { callerForUser } from "../harness/shell-caller.ts";

let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer({ logLevel: "trace" });
  tenant = await newTenant(server);
});
after(() => server.stop());

/** Returns the body of a PEM as it would appear in a JSON log line. A few characters are enough to find it. */
const pemCore = (pem: string) => pem.replaceAll(/-----[A-Z ]+-----|\s/g, "").slice(-60, -4);

test("no claim code, API key, password, passphrase or private key is ever logged, even at trace and in failures", async () => {
  const secrets: Record<string, string> = { "master key": TEST_MASTER_KEY };
  const { access, connections, enrollment } = server.app;

  const key = await newKey(
    server,
    tenant,
    "provisioning:write",
    "provisioning:read",
    "device-certificates:issue",
    "device-certificates:revoke",
    "device-certificates:read",
  );
  secrets["API key"] = key;
  secrets["API key's secret"] = key.slice(key.lastIndexOf("_") + 1, -6);
  const call = (method: string, path: string, body?: unknown) =>
    https(`${server.httpUrl}/api/v1${path}`, {
      ca: server.ca,
      method,
      headers: { "x-api-key": key },
      ...(body === undefined ? {} : { body }),
    });

  const claim = (await call("POST", "/provisioning/claims", { intendedName: "Pump", maxUses: 5 })).json;
  secrets["claim code"] = claim.claimCode;
  secrets["claim code without dashes"] = claim.claimCode.slice(6).replaceAll("-", "");
  const { key: deviceKey, body } = await redemption(claim.claimCode);
  secrets["device's key"] = pemCore(deviceKey);
  const redeemed = await redeem(server, body);
  assert.equal(redeemed.status, 200);
  await redeem(server, { ...body, csr: "rubbish" });
  await redeem(server, { ...body, hardwareModel: 7 });
  await redeem(server, { ...body, claimCode: `${claim.claimCode}X` });
  await https(`${server.httpUrl}/api/provisioning/claim`, { ca: server.ca, body: `{"claimCode":"${claim.claimCode}"` });
  await https(`${server.httpUrl}/api/provisioning/claim?code=${claim.claimCode}`, { ca: server.ca, body });
  await https(`${server.httpUrl}/${claim.claimCode}`, { ca: server.ca });

  const { deviceId } = redeemed.json;
  const bundle = (await call("POST", "/device-certificates", { deviceId, acknowledgeSelfEnrollmentOverride: true }))
    .json;
  secrets["bundle's key"] = pemCore(bundle.privateKeyPem);
  secrets["bundle's passphrase"] = bundle.pkcs12Passphrase;
  secrets["bundle's PKCS#12"] = bundle.pkcs12Base64.slice(-60, -4);
  await call("DELETE", `/device-certificates/${bundle.id}`);
  await call("DELETE", `/provisioning/claims/${claim.id}`);

  const device = await enrollDevice(server, tenant);
  secrets["another device's key"] = pemCore(device.key);
  const client = await connectMqtt(server, device);
  await client.publishAsync(device.topic, JSON.stringify({ temperature: 21 }), { qos: 1 });
  const renewed = await renew(server, device);
  secrets["renewed key"] = pemCore(renewed.key);
  await client.endAsync(true);
  await https(`${server.httpUrl}/api/provisioning/cert/renew`, {
    ca: server.ca,
    body: { csr: makeCsr(await makeKey()) },
    cert: device.fullchain,
    key: device.key,
  });

  const user = await access.createUser(await access.systemCaller(tenant.slug), {
    email: `ops@${tenant.slug}.example`,
    role: "operator",
  });
  const reset = await access.replacePassword(await callerForUser(access, user.email), user.email);
  const gateway = await connections.createMqttClient(tenant.caller, {
    clientId: "gateway-1",
    username: "gateway",
    publish: [`t/${tenant.slug}/commands`],
    subscribe: [`t/${tenant.slug}/#`],
  });
  Object.assign(secrets, { "user's password": user.password, "new password": reset.password });
  secrets["MQTT client's password"] = gateway.password;
  for (const password of [gateway.password, `${gateway.password}x`]) {
    const connected = await connectMqtt(
      server,
      { deviceId: "gateway-1", fullchain: "", key: "", ca: server.ca },
      { username: "gateway", password },
    ).catch(() => undefined);
    assert.equal(connected !== undefined, password === gateway.password);
    await connected?.endAsync(true);
  }
  await enrollment.deleteDevice(tenant.caller, deviceId);

  const logs = server.logs.join("\n");
  assert.match(logs, /"route":"\/api\/provisioning\/claim","status":401/, "the log is really written to");
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(secret.length >= 8, `${name} is a real one`);
    assert.ok(!logs.includes(secret), `the log holds the ${name}`);
  }
});

test("no secret is in a header or in any answer but its own", async () => {
  const claim = await server.app.enrollment.createClaim(tenant.caller, { intendedName: "Pump" });
  const key = await newKey(server, tenant, "provisioning:read");
  for (const path of ["", `/${claim.id}`]) {
    const answer = await https(`${server.httpUrl}/api/v1/provisioning/claims${path}`, {
      ca: server.ca,
      headers: { "x-api-key": key },
    });
    assert.equal(answer.status, 200);
    assert.ok(!(answer.text + JSON.stringify(answer.headers)).includes(claim.claimCode));
    assert.ok(!answer.text.includes("claimCode"));
  }
});
