import { hash } from "node:crypto";

/** A client certificate as presented to a listener. */
export interface PeerCertificate {
  /** The leaf, DER. */
  der: Buffer;
  /** Whether TLS verified its chain up to a device root, or the listener did so for a certificate that a trusted proxy forwarded. */
  verified: boolean;
  /** Why verification failed, as OpenSSL names it. */
  problem?: string | undefined;
}

/** What decides whether a recorded certificate is valid now. */
export interface CertificateValidity {
  notAfter: Date;
  revokedAt: Date | null;
  deviceDeletedAt: Date | null;
}

/**
 * Why a peer is not identified: the listener's own `problem` when the chain was not verified, else a reason from the record.
 * `unknown` is any certificate that is not recorded, even one that our own authority signed.
 */
export type IdentityProblem = "no_certificate" | "unverified" | "unknown" | "revoked" | "expired" | (string & {});

/** The key of a certificate's record: the SHA-256 of its DER, lower-case hex. A serial number alone proves nothing. */
export function fingerprintOf(peer: PeerCertificate): string {
  return hash("sha256", peer.der, "hex");
}

/**
 * The one rule by which the broker, renewal and re-enrollment accept a peer: it presented a certificate, its chain was verified,
 * the certificate is recorded, neither revoked nor expired, and its device is not deleted.
 *
 * @param recorded what is recorded under {@link fingerprintOf} the peer; `undefined` for nothing
 * @returns the first reason to refuse the peer; `undefined` when it is accepted
 */
export function findIdentityProblem(
  peer: PeerCertificate | undefined,
  recorded: CertificateValidity | undefined,
  now: Date,
): IdentityProblem | undefined {
  if (peer === undefined) return "no_certificate";
  if (!peer.verified) return peer.problem ?? "unverified";
  if (recorded === undefined) return "unknown";
  if (recorded.revokedAt !== null || recorded.deviceDeletedAt !== null) return "revoked";
  return recorded.notAfter <= now ? "expired" : undefined;
}
