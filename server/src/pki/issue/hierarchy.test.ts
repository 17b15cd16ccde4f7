import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { addMs, DAY, HOUR } from "../../lib/clock.ts";
import { isMusterError } from "../../lib/errors.ts";
import { certificatesFromPem } from "../pem.ts";
import { NOW, newAuthority, serial } from "../test-support/authority.ts";
import { missingTool, newFolder } from "../test-support/tools.ts";
import * as hierarchy from "./hierarchy.ts";

const { root, intermediate } = newAuthority();
const serverRoot = hierarchy.createServerRoot({
  name: "Test Server Root",
  now: NOW,
  validDays: 3652,
  serialNumber: serial(),
});
const HOSTS = [
  "broker.example",
  "*.fleet.example",
  "localhost",
  "127.0.0.1",
  "::1",
  "2001:db8::a:1",
  "::ffff:10.0.0.1",
];

function newServer(hosts: readonly string[] = HOSTS): hierarchy.OwnCertificate {
  return hierarchy.createServerCertificate(
    { name: hosts[0] ?? "none", hosts, now: NOW, validDays: hierarchy.VALID_DAYS.server, serialNumber: serial() },
    serverRoot,
  );
}

test("OpenSSL verifies the hierarchy strictly, and accepts the server certificate only for a server", (t) => {
  const missing = missingTool("openssl");
  if (missing) return t.skip(missing);
  using folder = newFolder();
  const server = newServer();
  for (const [name, { certificatePem }] of Object.entries({ root, intermediate, serverRoot, server })) {
    writeFileSync(folder.file(`${name}.pem`), certificatePem);
  }
  const verify = (...more: string[]) =>
    spawnSync("openssl", ["verify", "-x509_strict", "-attime", String(Math.floor(NOW.getTime() / 1000)), ...more], {
      cwd: folder.path,
      encoding: "utf8",
    });
  assert.match(
    verify("-CAfile", "root.pem", "root.pem", "intermediate.pem").stdout,
    /^root.pem: OK\nintermediate.pem: OK\n$/,
  );
  const asServer = verify(
    "-CAfile",
    "serverRoot.pem",
    "-purpose",
    "sslserver",
    "-verify_hostname",
    "broker.example",
    "server.pem",
  );
  assert.equal(asServer.stdout, "server.pem: OK\n", asServer.stderr);
  assert.match(
    verify("-CAfile", "serverRoot.pem", "-purpose", "sslclient", "server.pem").stderr,
    /unsuitable certificate purpose/,
  );
  assert.notEqual(verify("-CAfile", "root.pem", "-untrusted", "intermediate.pem", "server.pem").status, 0);
});

test("a server certificate names every host, with separate types for DNS names and addresses", () => {
  const parsed = new X509Certificate(newServer().certificatePem);
  for (const host of ["broker.example", "pump.fleet.example", "localhost"]) assert.ok(parsed.checkHost(host), host);
  for (const address of ["127.0.0.1", "::1", "2001:db8::a:1", "::ffff:10.0.0.1"])
    assert.ok(parsed.checkIP(address), address);
  assert.equal(parsed.checkHost("elsewhere.example"), undefined);
  assert.equal(parsed.checkIP("127.0.0.2"), undefined);
});

test("an empty list of hosts, and hosts that are neither a name nor an address, are refused", () => {
  for (const hosts of [
    [],
    ["a b"],
    ["https://a.example"],
    ["a.example:8883"],
    ["-a.example"],
    ["x".repeat(300)],
    [""],
  ]) {
    assert.throws(() => newServer(hosts), TypeError);
  }
});

test("the returned key, serial number, fingerprint and times match the certificate", () => {
  for (const own of [root, intermediate, serverRoot, newServer()]) {
    const parsed = new X509Certificate(own.certificatePem);
    assert.ok(parsed.checkPrivateKey(own.privateKey));
    assert.deepEqual(certificatesFromPem(own.certificatePem), [own.certificateDer]);
    assert.equal(parsed.serialNumber.toLowerCase(), own.serialNumber);
    assert.equal(parsed.fingerprint256.replaceAll(":", "").toLowerCase(), own.fingerprintSha256);
    assert.deepEqual(parsed.validToDate, own.notAfter);
    assert.deepEqual(parsed.validFromDate, own.notBefore);
    assert.equal(parsed.subject, `CN=${own.name}`);
  }
  assert.deepEqual(root.notBefore, addMs(new Date("2026-11-20T21:00:00Z"), -HOUR));
});

test("no certificate outlives its issuer, and an expired authority signs nothing", () => {
  const wanted = { name: "Next", validDays: 1826, serialNumber: serial() };
  const late = hierarchy.createIssuingIntermediate({ ...wanted, now: addMs(root.notAfter, -DAY) }, root);
  assert.deepEqual(late.notAfter, root.notAfter);
  assert.throws(
    () => hierarchy.createIssuingIntermediate({ ...wanted, now: addMs(root.notAfter, DAY) }, root),
    (error) => isMusterError(error, "issuance_failed"),
  );
});

test("a server certificate cannot sign as an authority", () => {
  const wanted = { name: "Forged", now: NOW, validDays: 1, serialNumber: serial() };
  assert.throws(
    () => hierarchy.createIssuingIntermediate(wanted, newServer()),
    (error) => isMusterError(error, "issuance_failed"),
  );
});

test("validity beyond 2049 is GeneralizedTime, and other readers accept it", () => {
  const far = hierarchy.createDeviceRoot({ name: "Far", now: NOW, validDays: 36_500, serialNumber: serial() });
  assert.deepEqual(new X509Certificate(far.certificatePem).validToDate, far.notAfter);
  assert.equal(far.notAfter.getUTCFullYear(), 2126);
});
