import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { isMusterError } from "../../lib/errors.ts";
import { randomIds } from "../../lib/ids.ts";
import { DerReader, TAG } from "../der/der-reader.ts";
import { OID } from "../der/oids.ts";
import { newKeyPair } from "../test-support/csr-builder.ts";
import { decryptPrivateKey, deriveKey, encryptPrivateKey, isMasterKeyOf, masterKeyCheck } from "./keystore.ts";
import { openKey, sealKey } from "./sealed-key.ts";

const masterKey = Buffer.alloc(32, 7);

test("a private key is decrypted with its master key, and with no other", () => {
  const { privateKey } = newKeyPair();
  const stored = encryptPrivateKey(privateKey, masterKey);
  assert.ok(decryptPrivateKey(stored, masterKey).equals(privateKey));
  for (let round = 0; round < 50; round++) {
    assert.throws(
      () => decryptPrivateKey(stored, randomBytes(32)),
      (error) => isMusterError(error, "wrong_master_key"),
    );
  }
});

test("a private key is stored as PKCS#8 encrypted with AES-256", () => {
  const { privateKey } = newKeyPair();
  const stored = encryptPrivateKey(privateKey, masterKey);
  assert.match(stored, /^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/);
  const der = Buffer.from(stored.replace(/-----.*-----/g, ""), "base64");
  const algorithm = new DerReader(der).read(TAG.sequence, "key").enter().read(TAG.sequence, "algorithm").content();
  assert.ok(algorithm.includes(OID.pbes2) && algorithm.includes(OID.aes256Cbc));
  const secret = Buffer.from(privateKey.export({ format: "jwk" }).d!, "base64url");
  assert.ok(!der.includes(secret));
});

test("a stored key that was changed is not decrypted to another key", () => {
  const { privateKey } = newKeyPair();
  const stored = encryptPrivateKey(privateKey, masterKey);
  assert.throws(
    () => decryptPrivateKey(stored.replace(/\n(.)/, "\nA"), masterKey),
    (error) => isMusterError(error, "wrong_master_key"),
  );
  assert.throws(
    () => decryptPrivateKey("", masterKey),
    (error) => isMusterError(error, "wrong_master_key"),
  );
});

test("derived keys differ by purpose and by master key, and are the same at every start", () => {
  const keys = [deriveKey(masterKey, "a"), deriveKey(masterKey, "b"), deriveKey(Buffer.alloc(32, 8), "a")];
  assert.equal(new Set(keys.map((key) => key.toString("hex"))).size, 3);
  assert.deepEqual(deriveKey(masterKey, "a"), keys[0]);
  assert.equal(keys[0]!.length, 32);
  assert.throws(() => deriveKey(Buffer.alloc(16), "a"), TypeError);
});

test("the check value accepts the right master key and refuses another", () => {
  const check = masterKeyCheck(masterKey);
  assert.ok(isMasterKeyOf(check, masterKey));
  for (const wrong of [masterKeyCheck(Buffer.alloc(32, 8)), "", "zz", check.slice(2)])
    assert.ok(!isMasterKeyOf(wrong, masterKey));
});

test("a sealed key is opened with its master key, and with no other, and not once it was changed", () => {
  const sealed = sealKey(Buffer.alloc(32, 1), masterKey, randomIds);
  assert.deepEqual(openKey(sealed, masterKey), Buffer.alloc(32, 1));
  assert.notDeepEqual(sealKey(Buffer.alloc(32, 1), masterKey, randomIds), sealed);
  const changed = Buffer.from(sealed);
  changed[30]! ^= 1;
  for (const [bytes, key] of [
    [sealed, randomBytes(32)],
    [changed, masterKey],
    [sealed.subarray(0, 20), masterKey],
  ] as const)
    assert.throws(
      () => openKey(bytes, key),
      (error) => isMusterError(error, "wrong_master_key"),
    );
});

test("keys are derived as in the first release, so that stored keys can be decrypted", () => {
  assert.equal(masterKeyCheck(masterKey), "17918662d7694d4edd7f1c15baa55bf3f95f1a0764a331fa65008314fb94e603");
});
