/** Bounds the memory, at about 200 bytes per certificate. */
const MOST_REFUSED = 10_000;

/**
 * A cache of certificates that this process could not renew in one round trip, by the SHA-256 of their DER. For these
 * the database is read before a leaf is signed: a device that keeps presenting a revoked certificate costs one
 * signature, not one per request.
 */
export class RefusedCertificates {
  readonly #fingerprints = new Set<string>();

  add(fingerprint: string): void {
    this.#fingerprints.add(fingerprint);
    if (this.#fingerprints.size > MOST_REFUSED) this.#fingerprints.delete(this.#fingerprints.values().next().value!);
  }

  has(fingerprint: string): boolean {
    return this.#fingerprints.has(fingerprint);
  }
}
