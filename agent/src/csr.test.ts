import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import fc from "fast-check";
import { makeCsr, makeKey } from "./csr.ts";
import { tlv } from "./der.ts";

const spki = (privatePem: string) => createPublicKey(privatePem).export({ format: "der", type: "spki" });

test("a request contains its key and its signature verifies, for many random keys", async () => {
  for (let i = 0; i < 100; i++) {
    const key = await makeKey();
    const request = new x509.Pkcs10CertificateRequest(makeCsr(key));
    assert.equal(await request.verify(), true);
    assert.deepEqual(Buffer.from(request.publicKey.rawData), spki(key));
    assert.equal(request.subject, "");
    assert.equal(request.attributes.length, 0);
  }
});

test("a request has exactly the bytes of its structure", async () => {
  const request = makeCsr(await makeKey());
  const der = Buffer.from(request.replace(/-----[^-]+-----|\s/g, ""), "base64");
  assert.equal(der[0], 0x30);
  const header = der[1]! < 0x80 ? 2 : 2 + (der[1]! & 0x7f);
  const length = der[1]! < 0x80 ? der[1]! : der.readUIntBE(2, der[1]! & 0x7f);
  assert.equal(header + length, der.length);
});

test("OpenSSL verifies a request", async (t) => {
  const openssl = spawnSync("openssl", ["req", "-verify", "-noout"], {
    input: makeCsr(await makeKey()),
    encoding: "utf8",
  });
  if (openssl.error) return t.skip("no openssl on this machine");
  assert.equal(openssl.status, 0, openssl.stderr);
  assert.match(openssl.stdout + openssl.stderr, /verify OK/);
});

test("a key of another type or curve is refused", () => {
  assert.throws(() => makeCsr(generateKeyPairSync("ec", { namedCurve: "secp384r1" }).privateKey), TypeError);
  assert.throws(() => makeCsr(generateKeyPairSync("ed25519").privateKey), TypeError);
});

test("lengths are written in as few octets as possible", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 70_000 }), (n) => {
      const der = tlv(0x04, Buffer.alloc(n));
      const octets = der.length - n - 2;
      assert.equal(octets, n < 0x80 ? 0 : n < 0x100 ? 1 : n < 0x10000 ? 2 : 3);
      assert.equal(octets === 0 ? der[1] : der.readUIntBE(2, octets), n);
    }),
  );
});
