import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeCsr, makeKey } from "../../../agent/src/csr.ts";
import { routes } from "../../src/api/routes.ts";
import { HOUR } from "../../src/lib/clock.ts";
import { enrollDevice, newTenant, redeem, redemption, renew, type TestTenant } from "../harness/devices.ts";
import type { HttpAnswer } from "../harness/http/http-answer.ts";
import { https } from "../harness/http/https.ts";
import { startServer, type TestServer } from "../harness/server.ts";

let server: TestServer;
let tenant: TestTenant;

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
});
after(() => server.stop());

function newClaim(more: Record<string, unknown> = {}) {
  return server.app.enrollment.createClaim(tenant.caller, {
    intendedName: "Pump",
    intendedDeviceTypeId: tenant.deviceTypeId,
    ...more,
  });
}

async function redeemCode(code: string, overrides: Record<string, unknown> = {}): Promise<HttpAnswer> {
  return redeem(server, (await redemption(code, overrides)).body);
}

function assertRefused(answer: HttpAnswer, status: number, error: string, middleware = "handler"): void {
  assert.deepEqual([answer.status, answer.json.error, answer.json.middleware], [status, error, middleware]);
  assert.equal(typeof answer.json.message, "string");
  assert.equal(answer.headers["x-request-id"], answer.json.requestId);
  assert.equal(answer.headers["cache-control"], "no-store");
}

/** Asserts that the answer has exactly the shape of the OpenAPI document. */
function assertShape(operationId: string, answer: HttpAnswer): void {
  const route = routes.find((each) => each.operationId === operationId)!;
  assert.equal(answer.status, route.status, answer.text);
  route.response!.parse(answer.json);
}

test("a redemption answers with the fields of spec 2.3 and Cache-Control: no-store", async () => {
  const { claimCode } = await newClaim();
  const answer = await redeemCode(claimCode);
  assertShape("redeemClaim", answer);
  const { deviceId, mqtt, renewalEndpoint } = answer.json;
  assert.equal(renewalEndpoint, "/api/provisioning/cert/renew");
  assert.equal(mqtt.topicPrefix, `t/${tenant.slug}`);
  assert.deepEqual(mqtt.publishTopics, [`t/${tenant.slug}/telemetry/${deviceId}`]);
  assert.equal(answer.headers["cache-control"], "no-store");
});

test("a renewal answers flat, and replaces the presented certificate", async () => {
  const device = await enrollDevice(server, tenant);
  const { answer, key } = await renew(server, device);
  assertShape("renewCertificate", answer);
  assert.equal(answer.headers["cache-control"], "no-store");
  assertRefused((await renew(server, device)).answer, 401, "cert_invalid", "authentication");
  const next = { ...device, key, fullchain: answer.json.clientCert + answer.json.clientCertChain };
  assert.equal((await renew(server, next)).answer.status, 200);
});

test("401 cert_invalid: renewal without a certificate, with the leaf alone, with a revoked one", async () => {
  const device = await enrollDevice(server, tenant);
  const csr = makeCsr(await makeKey());
  const url = `${server.httpUrl}/api/provisioning/cert/renew`;
  const none = await https(url, { ca: server.ca, body: { csr } });
  assertRefused(none, 401, "cert_invalid", "authentication");
  const leafOnly = await https(url, { ca: server.ca, body: { csr }, cert: device.cert, key: device.key });
  assertRefused(leafOnly, 401, "cert_invalid", "authentication");
  const { certificates, enrollment } = server.app;
  const { items } = await certificates.listCertificates(tenant.caller, {
    deviceId: device.deviceId,
    skip: 0,
    limit: 1,
  });
  await enrollment.revokeCertificate(tenant.caller, items[0]!.id);
  assertRefused((await renew(server, device)).answer, 401, "cert_invalid", "authentication");
});

test("401 invalid_claim_code, without the reason", async () => {
  const unknown = await redeemCode("CLAIM-0000-0000-0000");
  assertRefused(unknown, 401, "invalid_claim_code", "authentication");
  const malformed = await redeemCode("not a code");
  assertRefused(malformed, 401, "invalid_claim_code", "authentication");
  assert.equal(malformed.json.message, unknown.json.message);
});

test("400 invalid_csr for an invalid signing request, which uses up nothing", async () => {
  const { claimCode } = await newClaim();
  for (const csr of ["", "rubbish", "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"])
    assertRefused(await redeemCode(claimCode, { csr }), 400, "invalid_csr");
  assert.equal((await redeemCode(claimCode)).status, 200);
});

test("401 reenrollment_proof_required, until the device shows its valid certificate", async () => {
  const device = await enrollDevice(server, tenant);
  const { claimCode } = await newClaim({ maxUses: 5 });
  const again = { hardwareFingerprint: ` ${device.fingerprint.toUpperCase()} ` };
  assertRefused(await redeemCode(claimCode, again), 401, "reenrollment_proof_required", "authentication");
  const foreign = await enrollDevice(server, tenant);
  const { body } = await redemption(claimCode, again);
  assertRefused(await redeem(server, body, foreign), 401, "reenrollment_proof_required", "authentication");
  const proven = await redeem(server, body, device);
  assert.equal(proven.status, 200);
  assert.equal(proven.json.deviceId, device.deviceId);
});

test("400 invalid_request names the field; unknown fields and null options are ignored", async () => {
  const { claimCode } = await newClaim({ maxUses: 5 });
  const { body } = await redemption(claimCode);
  for (const field of ["claimCode", "hardwareFingerprint", "hardwareModel", "agentVersion", "csr"]) {
    const answer = await redeem(server, { ...body, [field]: undefined });
    assertRefused(answer, 400, "invalid_request", "validation");
    assert.equal(answer.json.detail, field);
    assert.equal((await redeem(server, { ...body, [field]: 7 })).status, 400);
  }
  const loose = { ...body, firmwareExtra: { a: 1 }, agentCapabilities: null, reportedMacAddress: null };
  assert.equal((await redeem(server, loose)).status, 200);
});

test("413 above 16 KiB, 415 for anything but JSON", async () => {
  const { claimCode } = await newClaim();
  const { body } = await redemption(claimCode, { padding: "x".repeat(17 * 1024) });
  assertRefused(await redeem(server, body), 413, "payload_too_large", "validation");
  const url = `${server.httpUrl}/api/provisioning/claim`;
  const text = JSON.stringify({ claimCode });
  for (const headers of [
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "application/json", "content-encoding": "gzip" },
  ]) {
    const answer = await https(url, { ca: server.ca, headers, body: text });
    assertRefused(answer, 415, "unsupported_media_type", "validation");
  }
});

test("429 for guessing, with Retry-After, while a known code is still checked", async () => {
  const own = await startServer();
  try {
    const theirs = await newTenant(own);
    const { claimCode } = await own.app.enrollment.createClaim(theirs.caller, { intendedName: "Pump" });
    const guess = async (code: string) => redeem(own, (await redemption(code)).body);
    for (let i = 0; i < 30; i++) assert.equal((await guess("CLAIM-0000-0000-0000")).status, 401);
    const throttled = await guess("CLAIM-0000-0000-0000");
    assertRefused(throttled, 429, "rate_limited", "rate-limit");
    assert.ok(Number(throttled.headers["retry-after"]) > 0);
    assert.equal("retryAfterSeconds" in throttled.json, false);
    assert.equal((await guess(claimCode)).status, 200, "a factory that shares the address is not locked out");
  } finally {
    await own.stop();
  }
});

test("429 for any requests beyond the address's limit per minute", async () => {
  const own = await startServer({ env: { MUSTER_DEVICE_REQUESTS_PER_MINUTE: "5" } });
  try {
    const url = `${own.httpUrl}/api/provisioning/cert/renew`;
    for (let i = 0; i < 5; i++) assert.equal((await https(url, { ca: own.ca, body: {} })).status, 400);
    const limited = await https(url, { ca: own.ca, body: {} });
    assertRefused(limited, 429, "rate_limited", "rate-limit");
    assert.equal(limited.headers["retry-after"], "60");
    assert.equal((await https(`${own.httpUrl}/healthz`, { ca: own.ca })).status, 200);
    own.clock.advance(60_000);
    assert.equal((await https(url, { ca: own.ca, body: {} })).status, 400);
  } finally {
    await own.stop();
  }
});

// This is last because it advances the clock, and TLS verifies client certificates by the real one.
test("410 claim_expired and claim_revoked, 409 claim_exhausted", async () => {
  const [expired, revoked, spent] = [await newClaim({ expiresInMinutes: 60 }), await newClaim(), await newClaim()];
  await server.app.enrollment.revokeClaim(tenant.caller, revoked.id);
  assert.equal((await redeemCode(spent.claimCode)).status, 200);
  assertRefused(await redeemCode(revoked.claimCode), 410, "claim_revoked");
  assertRefused(await redeemCode(spent.claimCode), 409, "claim_exhausted");
  server.clock.advance(HOUR);
  assertRefused(await redeemCode(expired.claimCode), 410, "claim_expired");
});
