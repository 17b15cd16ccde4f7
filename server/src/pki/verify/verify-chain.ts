import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { MusterError } from "../../lib/errors.ts";
import { DerError } from "../der/der-reader.ts";
import { OID } from "../der/oids.ts";
import { ecdsaHash, importP256, isP256Spki, wholeOctets } from "../keys/ecdsa.ts";
import { type CertificateFacts, readCertificate } from "./read-certificate.ts";

/**
 * The reason a client certificate is refused. `wrong_ca`: the chain ends at no trusted root. `no_chain`: intermediates
 * are missing.
 */
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

/** The limit of intermediates, which bounds the work that a client can cause. Chains of this authority have one. */
const MAX_INTERMEDIATES = 4;

/**
 * Verifies a client certificate that a trusted proxy forwarded (RFC 9440), since TLS did not. It checks signatures,
 * validity, basic constraints and path length, key usage and the purpose clientAuth, up to one of `rootDers` (RFC 5280
 * 6.1). Revocation is not checked here, because the database records it. `node:crypto` verifies single signatures only,
 * not chains.
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
    const chain = climb(leaf, { roots: rootDers.map(readCertificate), untried: new Set(candidates) }, []);
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

/**
 * Returns the authorities above `child` up to a root, nearest first, or `undefined` if there is no valid path. Each
 * candidate is tried once, so certificates that have all signed each other cost at most their number squared.
 */
function climb(
  child: CertificateFacts,
  known: Known,
  below: readonly CertificateFacts[],
): CertificateFacts[] | undefined {
  const root = known.roots.find((candidate) => hasIssued(candidate, child, below.length));
  if (root !== undefined) return [...below, root];
  for (const candidate of known.untried) {
    if (!hasIssued(candidate, child, below.length)) continue;
    known.untried.delete(candidate);
    const chain = climb(candidate, known, [...below, candidate]);
    if (chain !== undefined) return chain;
  }
  return undefined;
}

interface Known {
  readonly roots: readonly CertificateFacts[];
  readonly untried: Set<CertificateFacts>;
}

/** Returns whether `issuer` may have issued `child` above `depth` other authorities and, by the signature, has. */
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
  const key = publicKey(issuer.spki);
  if (key?.asymmetricKeyType !== "ec") return false;
  return verify(ecdsaHash(child.signatureAlgorithm), child.tbs, key, wholeOctets(child.signature, "signature"));
}

/** Returns the key, or `undefined` if OpenSSL cannot read it, as in a forged intermediate. */
function publicKey(spki: Buffer): KeyObject | undefined {
  try {
    return isP256Spki(spki) ? importP256(spki) : createPublicKey({ key: spki, format: "der", type: "spki" });
  } catch {
    return undefined;
  }
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
