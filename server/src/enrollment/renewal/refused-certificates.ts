/** Bounds the memory: some 200 bytes a certificate. */
const MOST_REFUSED = 10_000;

/**
 * Certificates that this process could not renew at once, by the SHA-256 of their DER. It only says for which certificates the database is asked before
 * a leaf is signed: a device that goes on with a revoked certificate costs one signature, not one a request.
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
