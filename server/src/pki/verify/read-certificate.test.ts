import "reflect-metadata";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { hash, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { rootCertificates } from "node:tls";
import fc from "fast-check";
import { isMusterError } from "../../lib/errors.ts";
import { randomIds } from "../../lib/ids.ts";
import { isSerialNumber, newSerialNumber } from "../issue/serial.ts";
import { certificatePem, certificatesFromPem } from "../pem.ts";
import { newAuthority } from "../test-support/authority.ts";
import { missingTool, newFolder } from "../test-support/tools.ts";
import { readCertificate } from "./read-certificate.ts";

test("the reader agrees with Node on every public root certificate", () => {
  let read = 0;
  for (const pem of rootCertificates) {
    const node = new X509Certificate(pem);
    const own = readCertificate(node.raw);
    assert.equal(BigInt(`0x${own.serialNumber}`), BigInt(`0x${node.serialNumber}`));
    assert.equal(own.fingerprintSha256, node.fingerprint256.replaceAll(":", "").toLowerCase());
    assert.deepEqual(own.notBefore, node.validFromDate);
    assert.deepEqual(own.notAfter, node.validToDate);
    assert.equal(own.isCa, node.ca);
    assert.deepEqual(own.spki, node.publicKey.export({ format: "der", type: "spki" }));
    assert.deepEqual(own.spkiSha256, hash("sha256", own.spki, "buffer"));
    read++;
  }
  assert.ok(read > 100);
});

test("a certificate made by OpenSSL is read: repeated names and key usage", (t) => {
  const missing = missingTool("openssl");
  if (missing) return t.skip(missing);
  using folder = newFolder();
  const make = (subject: string) =>
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-keyout",
        "key.pem",
        "-subj",
        subject,
        "-addext",
        "keyUsage=critical,keyCertSign,digitalSignature",
      ],
      { cwd: folder.path, stdio: ["ignore", "pipe", "ignore"] },
    ).toString();
  const facts = readCertificate(certificatesFromPem(make("/O=x/CN=pump-1/serialNumber=ab"))[0]!);
  assert.equal(facts.commonName, "pump-1");
  assert.equal(facts.subjectSerialNumber, "ab");
  assert.deepEqual(facts.keyUsage, { digitalSignature: true, keyCertSign: true });
  assert.equal(facts.isCa, true);
  assert.equal(readCertificate(certificatesFromPem(make("/CN=a/CN=b"))[0]!).commonName, undefined);
});

test("arbitrary bytes and changed certificates are read or refused as invalid_certificate", () => {
  const { certificateDer } = newAuthority().intermediate;
  const attempt = (bytes: Buffer) => {
    try {
      readCertificate(bytes);
    } catch (error) {
      assert.ok(isMusterError(error, "invalid_certificate"), String(error));
    }
  };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => attempt(Buffer.from(bytes))),
    { numRuns: 2000 },
  );
  for (let at = 0; at < certificateDer.length; at++) {
    for (const bit of [1, 4, 32, 128]) {
      const changed = Buffer.from(certificateDer);
      changed[at]! ^= bit;
      attempt(changed);
    }
    attempt(certificateDer.subarray(0, at));
  }
});

test("PEM is written in lines of 64 characters, and a bundle is read back in order", () => {
  const { root, intermediate } = newAuthority();
  assert.equal(certificatePem(root.certificateDer), new X509Certificate(root.certificateDer).toString());
  const bundle = `# a comment\n${root.certificatePem}\n${intermediate.certificatePem.replaceAll("\n", "\r\n")}`;
  assert.deepEqual(certificatesFromPem(bundle), [root.certificateDer, intermediate.certificateDer]);
});

test("serial numbers are 16 octets of positive DER, made of the given random octets", () => {
  const seen = new Set<string>();
  for (let round = 0; round < 2000; round++) {
    const serial = newSerialNumber(randomIds);
    assert.ok(isSerialNumber(serial), serial);
    seen.add(serial);
  }
  assert.equal(seen.size, 2000);
  const drawn = [Buffer.alloc(16, 0), Buffer.alloc(16, 0x80), Buffer.alloc(16, 0xff)];
  // All zeros, and 0x80 with its top bit cleared, would both begin with a zero octet, so they are drawn again.
  assert.equal(newSerialNumber({ bytes: () => drawn.shift()! }), `7f${"ff".repeat(15)}`);
});
