import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { addMs, DAY, MINUTE } from "../../lib/clock.ts";
import { KEY_USAGE, OID } from "../der/oids.ts";
import * as ext from "../issue/extensions.ts";
import * as hierarchy from "../issue/hierarchy.ts";
import { issueLeaf } from "../issue/issue-leaf.ts";
import { selfEnrolled } from "../issue/profiles.ts";
import { certificate, commonNameOnly, leafName, tbsCertificate } from "../issue/tbs.ts";
import { NOW, newAuthority, serial } from "../test-support/authority.ts";
import { type KeyPair, newKeyPair, spkiOf } from "../test-support/csr-builder.ts";
import { readCertificate } from "./read-certificate.ts";
import { type ChainProblem, verifyClientChain } from "./verify-chain.ts";

const { root, intermediate, signer } = newAuthority();
const roots = [root.certificateDer];
const chain = [intermediate.certificateDer];
const later = addMs(NOW, MINUTE);
const leaf = await issueLeaf(
  { profile: selfEnrolled, commonName: "pump-1", serialNumber: serial(), spki: spkiOf(newKeyPair()), now: NOW },
  signer,
);

function problemOf(leafDer: Buffer, intermediates = chain, anchors = roots, now = later): ChainProblem | undefined {
  const result = verifyClientChain(leafDer, intermediates, anchors, now);
  return result.ok ? undefined : result.problem;
}

/** Returns a certificate with the given content, signed by the given issuer. */
function forge(
  issuer: { name: Buffer; pair: KeyPair },
  subject: { name: Buffer; pair: KeyPair },
  extensions: readonly Buffer[],
): Buffer {
  const tbs = tbsCertificate({
    serialNumber: serial(),
    issuer: issuer.name,
    notBefore: NOW,
    notAfter: addMs(NOW, DAY),
    subject: subject.name,
    spki: spkiOf(subject.pair),
    extensions,
  });
  return certificate(tbs, sign("sha256", tbs, issuer.pair.privateKey));
}

const AS_LEAF = [ext.NOT_A_CA, ext.keyUsage(KEY_USAGE.digitalSignature), ext.extendedKeyUsage(OID.clientAuth)];
const AS_CA = [ext.certificateAuthority(0), ext.keyUsage(KEY_USAGE.keyCertSign)];
const issuing = {
  name: readCertificate(intermediate.certificateDer).subjectDer,
  pair: { privateKey: intermediate.privateKey } as KeyPair,
};
const device = () => ({ name: leafName("pump-1", serial()), pair: newKeyPair() });

test("a leaf with its intermediate is accepted, even among further certificates in any order", () => {
  const other = newAuthority();
  const result = verifyClientChain(
    leaf.der,
    [other.intermediate.certificateDer, root.certificateDer, ...chain],
    [other.root.certificateDer, ...roots],
    later,
  );
  assert.ok(result.ok);
  assert.equal(result.leaf.commonName, "pump-1");
  assert.deepEqual(
    result.chain.map(({ der }) => der),
    [intermediate.certificateDer, root.certificateDer],
  );
});

test("a leaf alone gives no_chain, and a leaf of another authority wrong_ca", () => {
  assert.equal(problemOf(leaf.der, []), "no_chain");
  const other = newAuthority();
  assert.equal(problemOf(leaf.der, chain, [other.root.certificateDer]), "wrong_ca");
  assert.equal(problemOf(leaf.der, [other.intermediate.certificateDer], roots), "wrong_ca");
});

test("validity is exact to the second, for the leaf and for every authority above it", () => {
  assert.equal(problemOf(leaf.der, chain, roots, leaf.notBefore), undefined);
  assert.equal(problemOf(leaf.der, chain, roots, addMs(leaf.notBefore, -1000)), "not_yet_valid");
  assert.equal(problemOf(leaf.der, chain, roots, leaf.notAfter), undefined);
  assert.equal(problemOf(leaf.der, chain, roots, addMs(leaf.notAfter, 1000)), "expired");
});

test("a leaf that outlives its expired intermediate is refused", () => {
  const short = hierarchy.createIssuingIntermediate(
    { name: "Short", now: NOW, validDays: 0, serialNumber: serial() },
    root,
  );
  const from = { name: commonNameOnly("Short"), pair: { privateKey: short.privateKey } as KeyPair };
  assert.equal(problemOf(forge(from, device(), AS_LEAF), [short.certificateDer], roots, later), "expired");
});

test("an intermediate, a server certificate and a leaf without a purpose are refused as clients", () => {
  assert.equal(problemOf(intermediate.certificateDer), "wrong_purpose");
  const wrong = [
    [ext.NOT_A_CA, ext.keyUsage(KEY_USAGE.digitalSignature), ext.extendedKeyUsage(OID.serverAuth)],
    [ext.NOT_A_CA, ext.keyUsage(KEY_USAGE.digitalSignature)],
    [ext.NOT_A_CA, ext.extendedKeyUsage(OID.clientAuth)],
    [ext.certificateAuthority(0), ...AS_LEAF.slice(1)],
  ];
  for (const extensions of wrong) assert.equal(problemOf(forge(issuing, device(), extensions)), "wrong_purpose");
  assert.equal(problemOf(forge(issuing, device(), AS_LEAF)), undefined);
});

test("a leaf cannot sign another leaf, nor a second intermediate below pathlen:0", () => {
  const parent = device();
  const parentDer = forge(issuing, parent, AS_LEAF);
  assert.equal(problemOf(forge(parent, device(), AS_LEAF), [parentDer, ...chain]), "wrong_ca");
  const sub = { name: commonNameOnly("Sub"), pair: newKeyPair() };
  const subDer = forge(issuing, sub, AS_CA);
  assert.equal(problemOf(forge(sub, device(), AS_LEAF), [subDer, ...chain]), "wrong_ca");
});

test("an authority of the same name with another key gives wrong_ca", () => {
  const impostor = { name: issuing.name, pair: newKeyPair() };
  const impostorDer = forge(impostor, impostor, AS_CA);
  assert.equal(problemOf(forge(impostor, device(), AS_LEAF), [impostorDer]), "wrong_ca");
  assert.equal(problemOf(forge(impostor, device(), AS_LEAF), [impostorDer, ...chain]), "wrong_ca");
});

test("a leaf with an unknown critical extension is refused", () => {
  const unknown = Buffer.from("300c06032a03040101ff04020500", "hex");
  assert.equal(problemOf(forge(issuing, device(), [...AS_LEAF, unknown])), "unknown_critical_extension");
});

test("authorities that have all signed each other are refused quickly", () => {
  const circle = { name: commonNameOnly("Circle"), pair: newKeyPair() };
  const many = Array.from({ length: 40 }, () => forge(circle, circle, [ext.certificateAuthority(9), AS_CA[1]!]));
  const start = process.threadCpuUsage();
  assert.equal(problemOf(forge(circle, device(), AS_LEAF), many), "wrong_ca");
  assert.ok(process.threadCpuUsage(start).user < 200_000);
});

test("a changed leaf is refused and does not throw", () => {
  fc.assert(
    fc.property(fc.nat(leaf.der.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(leaf.der);
      changed[at]! ^= change;
      assert.notEqual(problemOf(changed), undefined);
    }),
    { numRuns: 1500 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => problemOf(Buffer.from(bytes)) === "unreadable"));
});

test("a changed intermediate is refused and does not throw", () => {
  const [der] = chain as [Buffer];
  fc.assert(
    fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(der);
      changed[at]! ^= change;
      assert.notEqual(problemOf(leaf.der, [changed]), undefined);
    }),
    { numRuns: 1500 },
  );
});
