import { hash } from "node:crypto";

/** A client certificate as presented to a listener. */
export interface PeerCertificate {
  /** The leaf, DER. */
  der: Buffer;
  /**
   * Whether its chain was verified up to a device root: by TLS, or by the listener for a certificate that a trusted
   * proxy forwarded.
   */
  verified: boolean;
}

/** The facts that decide whether a recorded certificate is valid now. */
export interface CertificateValidity {
  notAfter: Date;
  revokedAt: Date | null;
  deviceDeletedAt: Date | null;
}

/**
 * The reason a peer is not identified. `unverified`: there is no certificate, or its chain was not verified. `unknown`:
 * the certificate is not recorded, even if our own authority signed it. `revoked`: the certificate is revoked, or its
 * device is deleted.
 */
export type IdentityProblem = "unverified" | "unknown" | "revoked" | "expired";

/**
 * Returns the key of a certificate's record: the SHA-256 of its DER, lower-case hex. A serial number alone proves
 * nothing.
 */
export function fingerprintOf(peer: PeerCertificate): string {
  return hash("sha256", peer.der, "hex");
}

/**
 * Applies the one rule by which the broker, renewal and re-enrollment accept a peer: it presented a certificate, its
 * chain was verified, the certificate is recorded, neither revoked nor expired, and its device is not deleted.
 *
 * @param recorded the record under {@link fingerprintOf} the peer, or `undefined`
 * @returns the first reason to refuse the peer; `undefined` when it is accepted
 */
export function findIdentityProblem(
  peer: PeerCertificate | undefined,
  recorded: CertificateValidity | undefined,
  now: Date,
): IdentityProblem | undefined {
  if (!peer?.verified) return "unverified";
  if (recorded === undefined) return "unknown";
  if (recorded.revokedAt !== null || recorded.deviceDeletedAt !== null) return "revoked";
  return recorded.notAfter <= now ? "expired" : undefined;
}
