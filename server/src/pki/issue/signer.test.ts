import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { addMs, DAY } from "../../lib/clock.ts";
import { isMusterError } from "../../lib/errors.ts";
import { DerReader } from "../der/der-reader.ts";
import { octetString, oid, sequence, TRUE } from "../der/der-writer.ts";
import { KEY_USAGE, OID } from "../der/oids.ts";
import { NOW, newAuthority, serial } from "../test-support/authority.ts";
import { newKeyPair, spkiOf } from "../test-support/csr-builder.ts";
import { verifyClientChain } from "../verify/verify-chain.ts";
import * as ext from "./extensions.ts";
import { fileSigner } from "./signer.ts";
import { certificate, leafName, type TbsFields, tbsCertificate } from "./tbs.ts";

const { root, intermediate, signer } = newAuthority();
const spki = spkiOf(newKeyPair());

/** Returns a leaf's fields as `issueLeaf` fills them, with some replaced. */
function fields(
  more: Partial<TbsFields> = {},
  extensions: Partial<Record<"constraints" | "usage" | "purpose" | "authority", Buffer>> = {},
): Buffer {
  const serialNumber = more.serialNumber ?? serial();
  return tbsCertificate({
    serialNumber,
    issuer: signer.issuer.subject,
    notBefore: NOW,
    notAfter: addMs(NOW, 30 * DAY),
    subject: leafName("pump-1", serialNumber),
    spki,
    extensions: [
      extensions.constraints ?? ext.NOT_A_CA,
      extensions.usage ?? ext.keyUsage(KEY_USAGE.digitalSignature),
      extensions.purpose ?? ext.extendedKeyUsage(OID.clientAuth),
      ext.subjectKeyIdentifier(ext.keyIdentifier(spki)),
      extensions.authority ?? ext.authorityKeyIdentifier(signer.issuer.subjectKeyIdentifier),
    ],
    ...more,
  });
}

test("the file signer signs a client leaf", async () => {
  const tbs = fields();
  const leaf = certificate(tbs, await signer.sign(tbs));
  assert.ok(verifyClientChain(leaf, [intermediate.certificateDer], [root.certificateDer], addMs(NOW, 1000)).ok);
});

const REFUSED: Record<string, () => Buffer> = {
  "an intermediate": () => fields({}, { constraints: ext.certificateAuthority(0) }),
  "a leaf that may sign certificates": () => fields({}, { usage: ext.keyUsage(KEY_USAGE.keyCertSign) }),
  "a server certificate": () => fields({}, { purpose: ext.extendedKeyUsage(OID.serverAuth) }),
  "a leaf without a purpose": () => fields({ extensions: [ext.NOT_A_CA] }),
  "a leaf of ten years": () => fields({ notAfter: addMs(NOW, 3652 * DAY) }),
  "a leaf of two years": () => fields({ notAfter: addMs(NOW, 730 * DAY) }),
  "a leaf of another issuer": () => fields({ issuer: leafName("other", serial()) }),
  "a leaf of another issuer's key": () =>
    fields({}, { authority: ext.authorityKeyIdentifier(createHash("sha1").digest()) }),
  "a short serial number": () => fields({ serialNumber: "0102", subject: leafName("pump-1", "0102") }),
  "a subject with another serial number": () => fields({ subject: leafName("pump-1", serial()) }),
  "a key on another curve": () => fields({ spki: spkiOf(newKeyPair("P-384")) }),
  "an unknown critical extension": () => {
    const unknown = sequence(oid("1.2.3.4"), TRUE, octetString(Buffer.alloc(0)));
    return fields({}, { constraints: Buffer.concat([ext.NOT_A_CA, unknown]) });
  },
  "an extra element": () => {
    const good = new DerReader(fields()).next();
    return sequence(good.content(), Buffer.of(0x05, 0x00));
  },
  "bytes that are not a certificate": () => Buffer.from("sign me"),
};

for (const [what, tbs] of Object.entries(REFUSED)) {
  test(`the signer refuses to sign ${what}`, async () => {
    await assert.rejects(signer.sign(tbs()), (error) => isMusterError(error, "issuance_failed"));
  });
}

test("a leaf is refused as an issuing certificate", async () => {
  const tbs = fields();
  const leaf = certificate(tbs, await signer.sign(tbs));
  assert.throws(
    () => fileSigner(leaf, newKeyPair().privateKey),
    (error) => isMusterError(error, "issuance_failed"),
  );
});

test("a private key that does not belong to the issuing certificate is refused when the signer is created", () => {
  assert.throws(
    () => fileSigner(intermediate.certificateDer, newKeyPair().privateKey),
    (error) => isMusterError(error, "issuance_failed"),
  );
});
