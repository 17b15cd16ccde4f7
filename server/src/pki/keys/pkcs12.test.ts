import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { createSecureContext } from "node:tls";
import { randomIds } from "../../lib/ids.ts";
import { issueLeaf } from "../issue/issue-leaf.ts";
import { platform } from "../issue/profiles.ts";
import { certificatesFromPem } from "../pem.ts";
import { NOW, newAuthority, serial } from "../test-support/authority.ts";
import { missingTool, newFolder } from "../test-support/tools.ts";
import { generateDeviceKey, newPassphrase } from "./device-key.ts";
import { buildPkcs12 } from "./pkcs12.ts";

const { intermediate, signer } = newAuthority();
const key = await generateDeviceKey();
const leaf = await issueLeaf(
  { profile: platform, commonName: "pump-1", serialNumber: serial(), spki: key.spki, now: NOW },
  signer,
);
const passphrase = newPassphrase(randomIds);
const bundle = buildPkcs12(
  {
    privateKeyPkcs8: key.privateKeyPkcs8,
    leafDer: leaf.der,
    chainDers: [intermediate.certificateDer],
    passphrase,
    friendlyName: "pump-1",
  },
  randomIds,
);

test("the generated key is P-256, equal in PEM and DER, and certified by the leaf", () => {
  const privateKey = createPrivateKey(key.privateKeyPem);
  assert.ok(privateKey.equals(createPrivateKey({ key: key.privateKeyPkcs8, format: "der", type: "pkcs8" })));
  assert.equal(privateKey.asymmetricKeyDetails?.namedCurve, "prime256v1");
  assert.ok(new X509Certificate(leaf.der).publicKey.equals(createPublicKey(privateKey)));
});

test("OpenSSL opens the bundle and finds the key, the leaf and its chain", (t) => {
  const missing = missingTool("openssl");
  if (missing) return t.skip(missing);
  using folder = newFolder();
  writeFileSync(folder.file("bundle.p12"), bundle);
  const open = (pass: string) =>
    spawnSync("openssl", ["pkcs12", "-in", "bundle.p12", "-nodes", "-info", "-passin", `pass:${pass}`], {
      cwd: folder.path,
      encoding: "utf8",
    });
  const { stdout, stderr, status } = open(passphrase);
  assert.equal(status, 0, stderr);
  assert.deepEqual(certificatesFromPem(stdout), [leaf.der, intermediate.certificateDer]);
  const opened = stdout.slice(stdout.indexOf("-----BEGIN PRIVATE KEY-----"));
  assert.ok(createPrivateKey(opened).equals(createPrivateKey(key.privateKeyPem)));
  assert.match(stderr, /MAC: sha256/);
  assert.equal(stderr.match(/PBES2, PBKDF2, AES-256-CBC, Iteration \d+, PRF hmacWithSHA256/g)?.length, 2);
  assert.notEqual(open(`${passphrase}x`).status, 0);
});

test("GnuTLS opens the bundle and finds the key, the leaf and its chain", (t) => {
  const missing = missingTool("certtool");
  if (missing) return t.skip(missing);
  using folder = newFolder();
  writeFileSync(folder.file("bundle.p12"), bundle);
  const open = (pass: string) =>
    spawnSync("certtool", ["--p12-info", "--inder", "--infile", "bundle.p12", "--password", pass], {
      cwd: folder.path,
      encoding: "utf8",
    });
  const { stdout, status } = open(passphrase);
  assert.equal(status, 0, stdout);
  assert.deepEqual(certificatesFromPem(stdout), [leaf.der, intermediate.certificateDer]);
  assert.match(stdout, /BEGIN (ENCRYPTED )?PRIVATE KEY/);
  assert.notEqual(open(`${passphrase}x`).status, 0);
});

test("Java opens the bundle as one private key entry with its chain", (t) => {
  const missing = missingTool("keytool");
  if (missing) return t.skip(missing);
  using folder = newFolder();
  writeFileSync(folder.file("bundle.p12"), bundle);
  const list = ["-list", "-v", "-keystore", "bundle.p12", "-storetype", "PKCS12", "-storepass"];
  const text = execFileSync("keytool", [...list, passphrase], { cwd: folder.path, encoding: "utf8" });
  assert.match(text, /Alias name: pump-1/);
  assert.match(text, /Entry type: PrivateKeyEntry\nCertificate chain length: 2/);
  assert.ok(text.replaceAll(":", "").toLowerCase().includes(leaf.fingerprintSha256));
  // Listing does not decrypt the key; re-wrapping it does.
  const rewrap = [
    "-importkeystore",
    "-srckeystore",
    "bundle.p12",
    "-srcstorepass",
    passphrase,
    "-destkeystore",
    "copy.p12",
    "-deststorepass",
    "another-one",
  ];
  execFileSync("keytool", rewrap, { cwd: folder.path, stdio: "ignore" });
});

test("Node's TLS opens the bundle with its passphrase only", () => {
  createSecureContext({ pfx: bundle, passphrase });
  assert.throws(() => createSecureContext({ pfx: bundle, passphrase: "another" }), /mac verify failure/i);
});

test("a bundle contains neither key nor passphrase in the clear, and no two bundles are equal", () => {
  const secret = Buffer.from(createPrivateKey(key.privateKeyPem).export({ format: "jwk" }).d!, "base64url");
  assert.ok(!bundle.includes(secret) && !bundle.includes(passphrase));
  const contents = {
    privateKeyPkcs8: key.privateKeyPkcs8,
    leafDer: leaf.der,
    chainDers: [],
    passphrase,
    friendlyName: "pump-1",
  };
  assert.notDeepEqual(buildPkcs12(contents, randomIds), buildPkcs12(contents, randomIds));
});

test("a passphrase has 120 random bits in characters that cannot be misread", () => {
  const many = Array.from({ length: 500 }, () => newPassphrase(randomIds));
  for (const one of many) assert.match(one, /^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/);
  assert.equal(new Set(many).size, 500);
  assert.equal(new Set(many.join("").replaceAll("-", "")).size, 32);
});
