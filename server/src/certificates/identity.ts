import { hash } from "node:crypto";

/** A client certificate as a listener saw it. */
export interface PeerCertificate {
  /** The leaf, DER. */
  der: Buffer;
  /** Whether TLS (or a re-verification of what a trusted proxy forwarded) verified the chain up to a device root. */
  verified: boolean;
  /** Why not, in the listener's words. */
  problem?: string | undefined;
}

/** What the books say about a certificate, as far as it matters for believing it. */
export interface Standing {
  notAfter: Date;
  revokedAt: Date | null;
  deviceDeletedAt: Date | null;
}

/**
 * Why a peer is not believed: the listener's own `problem` when the chain did not verify, else what the books say.
 * `unknown` is any certificate that was never recorded, even if our own authority signed it.
 */
export type IdentityProblem = "no_certificate" | "unverified" | "unknown" | "revoked" | "expired" | (string & {});

/** The name the books know a certificate by: the SHA-256 of its DER, lower-case hex (a serial alone proves nothing). */
export function fingerprintOf(peer: PeerCertificate): string {
  return hash("sha256", peer.der, "hex");
}

/**
 * The one judgement on who a peer is, for the broker, renewal and re-enrollment alike (reliability.md): a certificate is
 * present **and** its chain was verified **and** it is recorded, not revoked, not expired, and its device exists.
 *
 * @param standing what is recorded under {@link fingerprintOf} the peer; `undefined` for nothing
 * @returns `undefined` when all of that holds, else the first reason why not
 */
export function identityProblem(
  peer: PeerCertificate | undefined,
  standing: Standing | undefined,
  now: Date,
): IdentityProblem | undefined {
  if (peer === undefined) return "no_certificate";
  if (!peer.verified) return peer.problem ?? "unverified";
  if (standing === undefined) return "unknown";
  if (standing.revokedAt !== null || standing.deviceDeletedAt !== null) return "revoked";
  return standing.notAfter <= now ? "expired" : undefined;
}
