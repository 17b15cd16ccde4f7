import { createSecureContext } from "node:tls";

/** X25519 combined with ML-KEM-768 (draft-ietf-tls-ecdhe-mlkem): an attacker has to break both. TLS 1.3 only. */
const HYBRID = "X25519MLKEM768";

/** RFC 8446 4.2.7. Larger curves would cost the server more and protect nothing here: the certificates use P-256. */
const CLASSICAL = "X25519:P-256:P-384";

/**
 * Returns the key exchange groups of our listeners, as an OpenSSL group list. The slash puts the hybrid group before
 * the others even for a client that supports it but sends a key share for another group: the handshake then takes one
 * more round trip (HelloRetryRequest). OpenSSL before 3.5, to which some distributions link their Node, does not know
 * the hybrid group and rejects a list that names it.
 *
 * @param isKnown returns whether this process's OpenSSL knows a group
 */
export function keyExchangeGroups(isKnown: (group: string) => boolean = isKnownGroup): string {
  return isKnown(HYBRID) ? `${HYBRID}/${CLASSICAL}` : CLASSICAL;
}

/** Reports whether the listeners offer the post-quantum key exchange. */
export function hasHybridKeyExchange(): boolean {
  return isKnownGroup(HYBRID);
}

function isKnownGroup(group: string): boolean {
  try {
    createSecureContext({ ecdhCurve: group });
    return true;
  } catch {
    return false;
  }
}
