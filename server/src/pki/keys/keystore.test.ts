import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { isMusterError } from "../../lib/errors.ts";
import { randomIds } from "../../lib/ids.ts";
import { newKeyPair } from "../test-support/csr-builder.ts";
import { deriveKey, isMasterKeyOf, KEY_PURPOSES, masterKeyCheck } from "./keystore.ts";
import { openKey, openPrivateKey, openSecret, sealKey, sealPrivateKey, sealSecret } from "./sealed-key.ts";

const masterKey = Buffer.alloc(32, 7);

const OWNER = {
  id: "0199c1c9-4444-7a11-9c22-5e6f7a8b9c0d",
  role: "device_root",
  certificateDer: Buffer.from("a certificate"),
};
const isRefused = (error: unknown) => isMusterError(error, "sealed_value_changed");

test("a private key opens with its master key only", () => {
  const { privateKey } = newKeyPair();
  const stored = sealPrivateKey(privateKey, OWNER, masterKey, randomIds);
  assert.ok(openPrivateKey(stored, OWNER, masterKey).equals(privateKey));
  assert.notEqual(sealPrivateKey(privateKey, OWNER, masterKey, randomIds), stored);
  assert.throws(() => openPrivateKey(stored, OWNER, randomBytes(32)), isRefused);
});

test("a stored private key with any octet changed, or any replacement of it, is refused", () => {
  const { privateKey } = newKeyPair();
  const stored = sealPrivateKey(privateKey, OWNER, masterKey, randomIds);
  const [head, ...lines] = stored.trimEnd().split("\n");
  const sealed = Buffer.from(lines.slice(0, -1).join(""), "base64");
  assert.ok(!sealed.includes(Buffer.from(privateKey.export({ format: "jwk" }).d!, "base64url")));
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    const pem = `${head}\n${changed
      .toString("base64")
      .match(/.{1,64}/g)!
      .join("\n")}\n${lines.at(-1)}\n`;
    assert.throws(() => openPrivateKey(pem, OWNER, masterKey), isRefused, `octet ${at}`);
  }
  const plain = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const passphrase = deriveKey(masterKey, "authority-keys").toString("base64url");
  const encrypted = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase }).toString();
  for (const pem of ["", plain, encrypted, stored.slice(0, -40)])
    assert.throws(() => openPrivateKey(pem, OWNER, masterKey), isRefused);
});

test("a stored private key is bound to its authority, role and certificate", () => {
  const stored = sealPrivateKey(newKeyPair().privateKey, OWNER, masterKey, randomIds);
  const others = [
    { id: "0199c1c9-4444-7a11-9c22-5e6f7a8b9c0e" },
    { role: "server_root" },
    { certificateDer: Buffer.from("another") },
  ];
  for (const other of others)
    assert.throws(() => openPrivateKey(stored, { ...OWNER, ...other }, masterKey), isRefused, JSON.stringify(other));
});

test("derived keys differ by purpose and master key, and are the same at every start", () => {
  const keys = [
    deriveKey(masterKey, "secrets"),
    deriveKey(masterKey, "claim-code"),
    deriveKey(Buffer.alloc(32, 8), "secrets"),
  ];
  assert.equal(new Set(keys.map((key) => key.toString("hex"))).size, 3);
  assert.deepEqual(deriveKey(masterKey, "secrets"), keys[0]);
  assert.equal(keys[0]!.length, 32);
  assert.throws(() => deriveKey(Buffer.alloc(16), "secrets"), TypeError);
});

test("the check value accepts the right master key and refuses another", () => {
  const check = masterKeyCheck(masterKey);
  assert.ok(isMasterKeyOf(check, masterKey));
  for (const wrong of [masterKeyCheck(Buffer.alloc(32, 8)), "", "zz", check.slice(2)])
    assert.ok(!isMasterKeyOf(wrong, masterKey));
});

test("a sealed key or secret opens only with its master key, for its record, and unchanged", () => {
  const [plain, owner] = [Buffer.alloc(32, 1), { id: OWNER.id, purpose: "claim-code" }];
  const key = sealKey(plain, owner, masterKey, randomIds);
  assert.deepEqual(openKey(key, owner, masterKey), plain);
  assert.notDeepEqual(sealKey(plain, owner, masterKey, randomIds), key);
  const secret = sealSecret(plain, "user factor 1 2", masterKey, randomIds);
  assert.deepEqual(openSecret(secret, "user factor 1 2", masterKey), plain);
  const changed = Buffer.from(key);
  changed[30]! ^= 1;
  const refused = [
    () => openKey(key, owner, randomBytes(32)),
    () => openKey(changed, owner, masterKey),
    () => openKey(key.subarray(0, 20), owner, masterKey),
    () => openKey(key, { ...owner, purpose: "webhook-secrets" }, masterKey),
    () => openKey(secret, owner, masterKey),
    () => openSecret(secret, "user factor 2 1", masterKey),
    () => openSecret(key, "user factor 1 2", masterKey),
  ];
  for (const open of refused) assert.throws(open, isRefused);
});

test("keys are derived as in version 1.0, so that later versions recognize its databases", () => {
  assert.equal(masterKeyCheck(masterKey), "17918662d7694d4edd7f1c15baa55bf3f95f1a0764a331fa65008314fb94e603");
});

test("docs/pki.md lists what every key derived from the master key protects", async () => {
  const page = await readFile(join(import.meta.dirname, "../../../../docs/pki.md"), "utf8");
  const [, section = ""] = page.split("### The reach of the master key\n");
  const rows = [...section.split("\n#")[0]!.matchAll(/^\| `([^`]+)`/gm)].map(([, purpose]) => purpose);
  assert.deepEqual(rows, [...KEY_PURPOSES]);
});
