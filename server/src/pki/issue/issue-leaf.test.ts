import "reflect-metadata";
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import * as x509 from "@peculiar/x509";
import { addMs, DAY, MINUTE } from "../../lib/clock.ts";
import { isMusterError } from "../../lib/errors.ts";
import { readCsr } from "../csr/read-csr.ts";
import { NOW, newAuthority, serial } from "../test-support/authority.ts";
import { csrDer, csrPem, nameOf, newKeyPair, spkiOf } from "../test-support/csr-builder.ts";
import { missingTool, newFolder } from "../test-support/tools.ts";
import { readCertificate } from "../verify/read-certificate.ts";
import { issueLeaf, type LeafCertificate } from "./issue-leaf.ts";
import { platform, selfEnrolled } from "./profiles.ts";
import type { Signer } from "./signer.ts";

const authority = newAuthority();
const parent = new x509.X509Certificate(authority.intermediate.certificatePem);

function issue(
  more: Partial<Parameters<typeof issueLeaf>[0]> = {},
  signer: Signer = authority.signer,
): Promise<LeafCertificate> {
  const spki = more.spki ?? spkiOf(newKeyPair());
  return issueLeaf(
    { profile: selfEnrolled, commonName: "pump-1", serialNumber: serial(), now: NOW, spki, ...more },
    signer,
  );
}

test("a self-enrolled leaf is valid for 30 days, a platform leaf for 365, both from 5 minutes before the issue", async () => {
  const second = new Date("2026-11-20T21:00:00Z");
  for (const [profile, days] of [
    [selfEnrolled, 30],
    [platform, 365],
  ] as const) {
    const leaf = await issue({ profile });
    assert.deepEqual(leaf.issuedAt, second);
    assert.deepEqual(leaf.notBefore, addMs(second, -5 * MINUTE));
    assert.deepEqual(leaf.notAfter, addMs(second, days * DAY));
    const parsed = new X509Certificate(leaf.pem);
    assert.deepEqual(parsed.validFromDate, leaf.notBefore);
    assert.deepEqual(parsed.validToDate, leaf.notAfter);
  }
});

test("a self-enrolled leaf should be renewed from day 21; a platform leaf has no renewal date", async () => {
  const leaf = await issue();
  assert.deepEqual(leaf.renewAfter, addMs(leaf.issuedAt, 21 * DAY));
  assert.equal((await issue({ profile: platform })).renewAfter, undefined);
});

test("the leaf takes only the key from the CSR", async () => {
  const subject = nameOf("somebody-else.example");
  const csr = readCsr(csrPem(csrDer({ subject })));
  const leaf = await issue({ spki: csr.spki });
  assert.equal(leaf.subject, `CN=pump-1, serialNumber=${leaf.serialNumber}`);
  assert.ok(!leaf.der.includes("somebody-else"));
  assert.ok(new X509Certificate(leaf.der).publicKey.equals(csr.publicKey));
});

test("Node, @peculiar/x509 and our own reader agree on 3,000 leaves with random keys, names and times", async () => {
  const issuer = new X509Certificate(authority.intermediate.certificateDer);
  for (let round = 0; round < 3000; round++) {
    const spki = spkiOf(newKeyPair());
    const commonName = serial()
      .repeat(2)
      .slice(0, 1 + (round % 64));
    const now = addMs(NOW, round * 3_333_333);
    const leaf = await issue({ commonName, now, spki, profile: round % 2 ? platform : selfEnrolled });

    const node = new X509Certificate(leaf.der);
    assert.ok(node.checkIssued(issuer) && node.verify(issuer.publicKey));
    assert.equal(node.subject, `CN=${commonName}\nserialNumber=${leaf.serialNumber}`);
    assert.equal(node.serialNumber.toLowerCase(), leaf.serialNumber);
    assert.equal(node.fingerprint256.replaceAll(":", "").toLowerCase(), leaf.fingerprintSha256);
    assert.deepEqual(node.validToDate, leaf.notAfter);
    assert.deepEqual(node.keyUsage, ["1.3.6.1.5.5.7.3.2"]);
    assert.equal(node.ca, false);

    const own = readCertificate(leaf.der);
    assert.equal(own.serialNumber, leaf.serialNumber);
    assert.equal(own.commonName, commonName);
    assert.equal(own.subjectSerialNumber, leaf.serialNumber);
    assert.equal(own.fingerprintSha256, leaf.fingerprintSha256);
    assert.deepEqual(own.notBefore, leaf.notBefore);
    assert.deepEqual(own.spki, spki);

    if (round % 5 === 0) assertProfile(new x509.X509Certificate(leaf.pem), leaf);
  }
});

/** Checks the whole profile with an independent library. */
function assertProfile(certificate: x509.X509Certificate, leaf: LeafCertificate): void {
  const extensions = Array.from(certificate.extensions, ({ type, critical }) => [type, critical]);
  assert.deepEqual(extensions, [
    ["2.5.29.19", true],
    ["2.5.29.15", true],
    ["2.5.29.37", false],
    ["2.5.29.14", false],
    ["2.5.29.35", false],
  ]);
  assert.deepEqual(certificate.subjectName.toJSON(), [
    { CN: [leaf.subject.slice(3, leaf.subject.indexOf(","))] },
    { "2.5.4.5": [leaf.serialNumber] },
  ]);
  assert.equal(certificate.getExtension(x509.BasicConstraintsExtension)?.ca, false);
  assert.equal(certificate.getExtension(x509.KeyUsagesExtension)?.usages, x509.KeyUsageFlags.digitalSignature);
  assert.equal(certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages.join(), "1.3.6.1.5.5.7.3.2");
  assert.equal(
    certificate.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId,
    parent.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId,
  );
  assert.deepEqual(certificate.signatureAlgorithm.hash, { name: "SHA-256" });
}

test("OpenSSL verifies 80 leaves strictly as clients, and refuses them as servers or without the intermediate", async (t) => {
  const missing = missingTool("openssl");
  if (missing) return t.skip(missing);
  using folder = newFolder();
  writeFileSync(folder.file("root.pem"), authority.root.certificatePem);
  writeFileSync(folder.file("issuing.pem"), authority.intermediate.certificatePem);
  const leaves = await Promise.all(Array.from({ length: 80 }, (_, at) => issue({ commonName: `device_${at}` })));
  const files = leaves.map((leaf, at) => {
    writeFileSync(folder.file(`${at}.pem`), leaf.pem);
    return `${at}.pem`;
  });
  const verify = ["verify", "-x509_strict", "-attime", String((NOW.getTime() / 1000) | 0), "-CAfile", "root.pem"];
  const chain = ["-untrusted", "issuing.pem"];
  const run = (...more: string[]) =>
    spawnSync("openssl", [...verify, ...more, ...files], { cwd: folder.path, encoding: "utf8" });

  for (const as of [[], ["-purpose", "sslclient"]]) {
    const { status, stdout } = run(...chain, ...as);
    assert.equal(status, 0);
    assert.equal(stdout.match(/: OK$/gm)?.length, 80);
  }
  const asServer = run(...chain, "-purpose", "sslserver");
  assert.equal(asServer.stderr.match(/unsuitable certificate purpose/g)?.length, 80);
  const alone = run();
  assert.equal(alone.stderr.match(/unable to get local issuer certificate/g)?.length, 80);
  assert.match(
    execFileSync("openssl", ["x509", "-in", "0.pem", "-noout", "-subject"], { cwd: folder.path, encoding: "utf8" }),
    /CN = device_0, serialNumber = [0-9a-f]{32}/,
  );
});

test("a leaf that would outlive its issuer by a second is refused; one that ends with it is issued", async () => {
  const short = newAuthority(NOW, 30);
  assert.deepEqual((await issue({}, short.signer)).notAfter, short.intermediate.notAfter);
  await assert.rejects(issue({ now: addMs(NOW, 1000) }, short.signer), (error) =>
    isMusterError(error, "issuance_failed"),
  );
});

test("a signer that throws or returns no signature gives issuance_failed with the cause", async () => {
  const down = new Error("HSM unreachable");
  const answers: Record<string, () => Promise<Buffer>> = {
    fails: () => Promise.reject(down),
    throws: () => {
      throw down;
    },
    nonsense: async () => Buffer.from("signature"),
    nothing: async () => Buffer.alloc(0),
  };
  for (const [how, sign] of Object.entries(answers)) {
    await assert.rejects(issue({}, { issuer: authority.signer.issuer, sign }), (error) => {
      assert.ok(isMusterError(error, "issuance_failed"), how);
      assert.ok(!error.message.includes("HSM"));
      if (how === "fails" || how === "throws") assert.equal(error.cause, down);
      return true;
    });
  }
});

test("malformed device ids and serial numbers are refused", async () => {
  for (const commonName of ["", "a b", "x".repeat(65), "pump,1", "pump\n"]) {
    await assert.rejects(issue({ commonName }), (error) => isMusterError(error, "issuance_failed"));
  }
  for (const serialNumber of ["", "ff".repeat(16), `00${"11".repeat(15)}`, "AB".repeat(16), "12"]) {
    await assert.rejects(issue({ serialNumber }), (error) => isMusterError(error, "issuance_failed"));
  }
});
