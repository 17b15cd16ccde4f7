import "reflect-metadata";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { hash, webcrypto } from "node:crypto";
import { test } from "node:test";
import * as x509 from "@peculiar/x509";
import { isMusterError } from "../../lib/errors.ts";
import { oid, sequence, utf8String } from "../der/der-writer.ts";
import { attribute, attributes, csrDer, csrPem, nameOf, newKeyPair, spkiOf } from "../test-support/csr-builder.ts";
import { GO_CSR, GO_CSR_WITHOUT_SUBJECT, KEYTOOL_CSR, MBEDTLS_CSR } from "../test-support/foreign-csrs.ts";
import { HOSTILE_CSRS } from "../test-support/hostile-csrs.ts";
import { missingTool, newFolder } from "../test-support/tools.ts";
import { readCsr } from "./read-csr.ts";

for (const [fault, text] of Object.entries(HOSTILE_CSRS)) {
  test(`a CSR with ${fault} is refused within 200 ms, and the message does not repeat it`, () => {
    const pem = text();
    const start = process.threadCpuUsage();
    assert.throws(
      () => readCsr(pem),
      (error) => {
        assert.ok(isMusterError(error, "invalid_csr"), String(error));
        assert.match(error.message, /^The [ -~]{10,200}\.$/);
        return true;
      },
    );
    assert.ok(process.threadCpuUsage(start).user < 200_000, "took too long");
  });
}

test("the CSR that the hostile ones are derived from is accepted", () => {
  const pair = newKeyPair();
  const { spki, spkiSha256, publicKey } = readCsr(csrPem(csrDer({ pair })));
  assert.deepEqual(spki, spkiOf(pair));
  assert.deepEqual(spkiSha256, hash("sha256", spki, "buffer"));
  assert.ok(publicKey.equals(pair.publicKey));
  assert.ok(Object.keys(HOSTILE_CSRS).length >= 55);
});

test("CRLF, blanks around the block, and base64 lines of another width are accepted", () => {
  const request = csrDer();
  for (const pem of [
    csrPem(request, { eol: "\r\n" }),
    `\n \t\r\n${csrPem(request)}\n\n  `,
    csrPem(request).trimEnd(),
    csrPem(request, { width: 76 }),
    csrPem(request, { width: 4096 }),
  ]) {
    assert.equal(readCsr(pem).spki.length, 91);
  }
});

test("ECDSA with SHA-384 and with SHA-512 is accepted", () => {
  for (const [name, id] of [
    ["sha384", "1.2.840.10045.4.3.3"],
    ["sha512", "1.2.840.10045.4.3.4"],
  ] as const) {
    assert.equal(readCsr(csrPem(csrDer({ hash: name, algorithm: sequence(oid(id)) }))).spki.length, 91);
  }
});

test("well-formed subjects and attributes are accepted and ignored", () => {
  const several = attributes(
    attribute("1.2.840.113549.1.9.7", utf8String("challenge")),
    attribute("1.2.840.113549.1.9.2", utf8String("name"), utf8String("another value")),
  );
  for (const subject of [sequence(), nameOf("Ünïcode 🦊"), nameOf("x".repeat(1000)), nameOf("")]) {
    assert.equal(readCsr(csrPem(csrDer({ subject, attributes: several }))).spki.length, 91);
  }
});

test("CSRs of Go and mbedTLS are accepted", () => {
  for (const pem of [GO_CSR, GO_CSR_WITHOUT_SUBJECT, MBEDTLS_CSR]) assert.equal(readCsr(pem).spki.length, 91);
});

test("a CSR of Java's keytool is refused with a hint about its label, and accepted with the standard label", () => {
  assert.throws(() => readCsr(KEYTOOL_CSR), /labelled NEW CERTIFICATE REQUEST/);
  assert.equal(readCsr(KEYTOOL_CSR.replaceAll("NEW ", "")).spki.length, 91);
});

test("a CSR of OpenSSL, with every kind of string and with requested extensions, is accepted", (t) => {
  const missing = missingTool("openssl");
  if (missing) return t.skip(missing);
  using folder = newFolder();
  const request = [
    "req",
    "-new",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    "key.pem",
  ];
  const subject = ["-utf8", "-subj", "/C=DE/O=Exämple/CN=pump-1+serialNumber=12/emailAddress=a@example.org"];
  const more = ["-addext", "subjectAltName=DNS:a.example,IP:10.0.0.1", "-addext", "keyUsage=critical,digitalSignature"];
  for (const digest of ["-sha256", "-sha384", "-sha512"]) {
    const pem = execFileSync("openssl", [...request, ...subject, ...more, digest], {
      cwd: folder.path,
      stdio: ["ignore", "pipe", "ignore"],
    });
    assert.equal(readCsr(pem.toString()).spki.length, 91);
  }
});

test("a CSR of @peculiar/x509 is accepted, and the key equals the one that library reads", async () => {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  for (let round = 0; round < 20; round++) {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    const request = await x509.Pkcs10CertificateRequestGenerator.create({
      name: "CN=pump-1, O=Example",
      keys,
      signingAlgorithm: algorithm,
      extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true)],
      attributes: [new x509.ChallengePasswordAttribute("challenge")],
    });
    assert.deepEqual(readCsr(request.toString("pem")).spki, Buffer.from(request.publicKey.rawData));
  }
});
