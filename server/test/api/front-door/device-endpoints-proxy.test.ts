import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { Agent } from "node:https";
import { after, before, test } from "node:test";
import { makeCsr, makeKey } from "../../../../agent/src/csr.ts";
import { certificatesFromPem } from "../../../src/pki/pki.ts";
import { enrollDevice, newTenant, type TestDevice, type TestTenant } from "../../harness/devices.ts";
import type { HttpAnswer } from "../../harness/http/http-answer.ts";
import { https } from "../../harness/http/https.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

/** One server trusts this machine's proxy, the other trusts none. */
let behindProxy: TestServer;
let direct: TestServer;
let tenants: Map<TestServer, TestTenant>;

before(async () => {
  [behindProxy, direct] = [
    await startServer({ env: { MUSTER_TRUSTED_CLIENT_CERT_PROXIES: "127.0.0.0/8, ::1" } }),
    await startServer(),
  ];
  tenants = new Map();
  for (const server of [behindProxy, direct]) tenants.set(server, await newTenant(server));
});
after(async () => {
  await behindProxy.stop();
  await direct.stop();
});

const field = (pem: string) =>
  certificatesFromPem(pem)
    .map((der) => `:${der.toString("base64")}:`)
    .join(", ");

function forwarded(device: Pick<TestDevice, "cert" | "chain">): Record<string, string> {
  return { "client-cert": field(device.cert), "client-cert-chain": field(device.chain) };
}

/** Sends a renewal over TLS without a client certificate, with `headers`. */
async function renewWith(server: TestServer, headers: Record<string, string | string[]>): Promise<HttpAnswer> {
  return https(`${server.httpUrl}/api/provisioning/cert/renew`, {
    ca: server.ca,
    headers: { "content-type": "application/json", ...headers },
    body: { csr: makeCsr(await makeKey()) },
  });
}

function assertCertInvalid(answer: HttpAnswer, why: string): void {
  assert.deepEqual([answer.status, answer.json.error], [401, "cert_invalid"], why);
}

test("a device behind a trusted proxy renews with the certificate that the proxy forwards (RFC 9440)", async () => {
  const device = await enrollDevice(behindProxy, tenants.get(behindProxy)!);
  const answer = await renewWith(behindProxy, forwarded(device));
  assert.equal(answer.status, 200, answer.text);
  assert.match(new X509Certificate(answer.json.clientCert).subject, new RegExp(`CN=${device.deviceId}`));
});

test("a proxy that is trusted only with client addresses cannot forward a certificate", async () => {
  const own = await startServer({ env: { MUSTER_TRUSTED_PROXIES: "127.0.0.0/8, ::1" } });
  try {
    const victim = await enrollDevice(own, await newTenant(own));
    assertCertInvalid(await renewWith(own, forwarded(victim)), "from MUSTER_TRUSTED_PROXIES");
  } finally {
    await own.stop();
  }
});

test("a request with a TLS client certificate and a forwarded one is refused, whichever device each names", async () => {
  const tenant = tenants.get(behindProxy)!;
  const [device, victim] = [await enrollDevice(behindProxy, tenant), await enrollDevice(behindProxy, tenant)];
  for (const named of [device, victim]) {
    const answer = await https(`${behindProxy.httpUrl}/api/provisioning/cert/renew`, {
      ca: behindProxy.ca,
      cert: device.cert + device.chain,
      key: device.key,
      headers: { "content-type": "application/json", ...forwarded(named) },
      body: { csr: makeCsr(await makeKey()) },
    });
    assert.deepEqual([answer.status, answer.json.error], [400, "invalid_request"], answer.text);
    assert.match(answer.json.message, /two client certificates/);
  }
});

test("the victim's certificate in any forwarding header proves nothing if no proxy is trusted", async () => {
  const victim = await enrollDevice(direct, tenants.get(direct)!);
  const pem = encodeURIComponent(victim.cert);
  const attempts: Record<string, string>[] = [
    forwarded(victim),
    { ...forwarded(victim), "x-forwarded-for": "127.0.0.1", forwarded: "for=127.0.0.1" },
    { "x-client-cert": pem, "x-ssl-cert": pem, "ssl-client-cert": pem, "x-arr-clientcert": pem },
    { "x-forwarded-client-cert": `Cert="${pem}"`, "x-amzn-mtls-clientcert": pem },
    { "x-ssl-client-verify": "SUCCESS", "x-ssl-client-s-dn": `CN=${victim.deviceId}` },
  ];
  for (const headers of attempts) assertCertInvalid(await renewWith(direct, headers), Object.keys(headers).join());
});

test("a certificate from a trusted proxy is verified again: leaf alone, foreign, tampered, doubled, an authority", async () => {
  const device = await enrollDevice(behindProxy, tenants.get(behindProxy)!);
  const foreign = await enrollDevice(direct, tenants.get(direct)!);
  const other = await enrollDevice(behindProxy, tenants.get(behindProxy)!);
  const good = forwarded(device);
  const tampered = Buffer.from(certificatesFromPem(device.cert)[0]!);
  tampered[tampered.length - 1]! ^= 1;
  const bad: Record<string, Record<string, string | string[]>> = {
    "leaf alone": { "client-cert": good["client-cert"]! },
    "another authority's": forwarded(foreign),
    tampered: { ...good, "client-cert": `:${tampered.toString("base64")}:` },
    "doubled header": { ...good, "client-cert": [good["client-cert"]!, forwarded(other)["client-cert"]!] },
    "the intermediate as leaf": { ...good, "client-cert": field(device.chain) },
    "PEM instead of a byte sequence": { ...good, "client-cert": device.cert.replaceAll("\n", " ") },
    empty: { ...good, "client-cert": "" },
    "chain only": { "client-cert-chain": good["client-cert-chain"]! },
  };
  for (const [why, headers] of Object.entries(bad)) assertCertInvalid(await renewWith(behindProxy, headers), why);
  assert.equal((await renewWith(behindProxy, good)).status, 200);
  assertCertInvalid(await renewWith(behindProxy, good), "superseded by its renewal");
});

test("header names are case-insensitive", async () => {
  const device = await enrollDevice(behindProxy, tenants.get(behindProxy)!);
  const { "client-cert": cert, "client-cert-chain": chain } = forwarded(device) as Record<string, string>;
  assert.equal((await renewWith(behindProxy, { "CLIENT-cert": cert!, "Client-Cert-CHAIN": chain! })).status, 200);
  const victim = await enrollDevice(direct, tenants.get(direct)!);
  const odd = { "CLIENT-cert": field(victim.cert), "Client-CERT-chain": field(victim.chain) };
  assertCertInvalid(await renewWith(direct, odd), "odd case from an untrusted address");
});

test("a device's budget belongs to the address that its trusted proxy names; other clients cannot choose one", async () => {
  const env = { MUSTER_DEVICE_REQUESTS_PER_MINUTE: "2" };
  const proxied = await startServer({ env: { ...env, MUSTER_TRUSTED_PROXIES: "127.0.0.1" } });
  const open = await startServer({ env });
  try {
    const from = (server: TestServer, address: string) => renewWith(server, { "x-forwarded-for": address });
    for (let i = 0; i < 2; i++) assert.equal((await from(proxied, "198.51.100.1")).status, 401);
    assert.equal((await from(proxied, "198.51.100.1")).status, 429);
    assert.equal((await from(proxied, "1.2.3.4, 198.51.100.1")).status, 429, "the client's own part is not believed");
    assert.equal((await from(proxied, "198.51.100.2")).status, 401);
    for (let i = 0; i < 2; i++) assert.equal((await from(proxied, `2001:db8::${i}`)).status, 401);
    assert.equal((await from(proxied, "2001:db8::ffff:1")).status, 429, "one /64 is one budget");
    for (let i = 0; i < 2; i++) assert.equal((await from(open, `198.51.100.${i}`)).status, 401);
    assert.equal((await from(open, "198.51.100.9")).status, 429, "a header from an untrusted address changes nothing");
  } finally {
    await proxied.stop();
    await open.stop();
  }
});

test("no returned address is built from the request's Host", async () => {
  const tenant = tenants.get(direct)!;
  const { claimCode } = await direct.app.enrollment.createClaim(tenant.caller, { intendedName: "Pump" });
  const answer = await https(`${direct.httpUrl}/api/provisioning/claim`, {
    ca: direct.ca,
    agent: new Agent({ keepAlive: false, servername: "localhost" }),
    headers: { "content-type": "application/json", host: "evil.example", "x-forwarded-host": "evil.example" },
    body: {
      claimCode,
      hardwareFingerprint: "host-test",
      hardwareModel: "m",
      agentVersion: "1",
      csr: makeCsr(await makeKey()),
    },
  });
  assert.equal(answer.status, 200);
  assert.ok(!answer.text.includes("evil"));
  assert.equal(answer.json.mqtt.brokerUrl, direct.app.brokerUrl);
});
