import { createPublicKey, verify } from "node:crypto";
import { MusterError } from "../lib/errors.ts";
import { DerError } from "./der.ts";
import { ecdsaHash, importP256, isP256Spki, wholeOctets } from "./ecdsa.ts";
import { OID } from "./oids.ts";
import { type CertificateFacts, readCertificate } from "./read-certificate.ts";

/** Why a client's certificate is not believed; `wrong_ca` when a chain ends at no root of ours, `no_chain` when it stops short. */
export type ChainProblem =
  | "unreadable"
  | "no_chain"
  | "wrong_ca"
  | "expired"
  | "not_yet_valid"
  | "wrong_purpose"
  | "unknown_critical_extension";

export type ChainResult =
  | { readonly ok: true; readonly leaf: CertificateFacts; readonly chain: readonly CertificateFacts[] }
  | { readonly ok: false; readonly problem: ChainProblem };

const MAX_INTERMEDIATES = 8;

/**
 * Judges a client certificate that TLS did not judge for us: one that a trusted proxy forwarded (RFC 9440). Checks
 * signatures, validity, basic constraints and path length, key usage and the purpose clientAuth up to one of `roots`
 * (RFC 5280 6.1). Says nothing about revocation: the books decide that.
 */
export function verifyClientChain(
  leafDer: Buffer,
  intermediateDers: readonly Buffer[],
  rootDers: readonly Buffer[],
  now: Date,
): ChainResult {
  try {
    const leaf = readCertificate(leafDer);
    const candidates = intermediateDers.slice(0, MAX_INTERMEDIATES).map(readCertificate);
    const chain = climb(leaf, candidates, rootDers.map(readCertificate), []);
    if (chain === undefined) return { ok: false, problem: candidates.length === 0 ? "no_chain" : "wrong_ca" };
    const problem = leafProblem(leaf) ?? timeProblem([leaf, ...chain], now);
    return problem === undefined ? { ok: true, leaf, chain } : { ok: false, problem };
  } catch (error) {
    const unreadable =
      error instanceof DerError || (error instanceof MusterError && error.code === "invalid_certificate");
    if (unreadable) return { ok: false, problem: "unreadable" };
    throw error;
  }
}

/** The authorities from above `child` up to a root, or undefined where no path holds. */
function climb(
  child: CertificateFacts,
  candidates: readonly CertificateFacts[],
  roots: readonly CertificateFacts[],
  below: readonly CertificateFacts[],
): readonly CertificateFacts[] | undefined {
  const root = roots.find((candidate) => hasIssued(candidate, child, below.length));
  if (root !== undefined) return [...below, root];
  for (const candidate of candidates) {
    if (below.includes(candidate) || !hasIssued(candidate, child, below.length)) continue;
    const chain = climb(candidate, candidates, roots, [...below, candidate]);
    if (chain !== undefined) return chain;
  }
  return undefined;
}

/** Whether `issuer` is an authority that may have, and by its signature has, issued `child` above `depth` others. */
function hasIssued(issuer: CertificateFacts, child: CertificateFacts, depth: number): boolean {
  return (
    issuer.subjectDer.equals(child.issuerDer) &&
    issuer.isCa &&
    issuer.keyUsage?.keyCertSign !== false &&
    !issuer.hasUnknownCritical &&
    allowsClientAuth(issuer) &&
    (issuer.pathLength === undefined || issuer.pathLength >= depth) &&
    hasSigned(issuer, child)
  );
}

function hasSigned(issuer: CertificateFacts, child: CertificateFacts): boolean {
  const key = isP256Spki(issuer.spki)
    ? importP256(issuer.spki)
    : createPublicKey({ key: issuer.spki, format: "der", type: "spki" });
  if (key.asymmetricKeyType !== "ec") return false;
  return verify(ecdsaHash(child.signatureAlgorithm), child.tbs, key, wholeOctets(child.signature, "signature"));
}

function leafProblem(leaf: CertificateFacts): ChainProblem | undefined {
  if (leaf.hasUnknownCritical) return "unknown_critical_extension";
  const mayAuthenticate = !leaf.isCa && leaf.keyUsage?.digitalSignature === true && leaf.extendedKeyUsage !== undefined;
  return mayAuthenticate && allowsClientAuth(leaf) ? undefined : "wrong_purpose";
}

function allowsClientAuth({ extendedKeyUsage }: CertificateFacts): boolean {
  return extendedKeyUsage === undefined || extendedKeyUsage.some((purpose) => purpose.equals(OID.clientAuth));
}

function timeProblem(certificates: readonly CertificateFacts[], now: Date): ChainProblem | undefined {
  if (certificates.some(({ notAfter }) => now > notAfter)) return "expired";
  if (certificates.some(({ notBefore }) => now < notBefore)) return "not_yet_valid";
  return undefined;
}
