import assert from "node:assert/strict";
import { test } from "node:test";
import { unzipSync } from "fflate";
import type { Bundle } from "../../api/certificates.ts";
import { pkcs12Of, zipOf } from "./bundle-files.ts";

const BUNDLE = {
  deviceId: "pump-1",
  privateKeyPem: "KEY\n",
  clientCertPem: "LEAF",
  clientCertChainPem: "CHAIN\n",
  serverCaBundlePem: "CA\n",
  pkcs12Base64: btoa("\u0000\u0001ÿ"),
} as Bundle;

test("the archive has the certificate followed by its chain in one file, the key and the authority", async () => {
  const files = unzipSync(await zipOf(BUNDLE));
  const text = (name: string) => new TextDecoder().decode(files[`pump-1/${name}`]);
  assert.equal(text("fullchain.pem"), "LEAF\nCHAIN\n");
  assert.equal(text("key.pem"), "KEY\n");
  assert.equal(text("ca.pem"), "CA\n");
});

test("the PKCS#12 file has the bytes that the service sent", () => {
  assert.deepEqual([...pkcs12Of(BUNDLE)], [0, 1, 255]);
});
