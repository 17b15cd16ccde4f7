/** A claim that was redeemable when this process last saw it. */
export interface KnownClaim {
  readonly id: string;
  readonly tenantId: string;
  readonly expiresAt: Date;
}

/** Bounds the memory, at about 300 bytes per claim. */
const MOST_KNOWN = 10_000;

/**
 * A cache of claims that this process has created or found redeemable, by the HMAC of their code. It only decides for
 * which codes a leaf may be signed before a database query, so that redemption takes one round trip; the recording
 * statement decides. A stale entry costs one signature that nothing accepts, once per claim.
 */
export class KnownClaims {
  readonly #claims = new Map<string, KnownClaim>();
  /** The key of a claim in `#claims`, by claim id. */
  readonly #keys = new Map<string, string>();

  remember(codeHmac: Buffer, claim: KnownClaim): void {
    const key = codeHmac.toString("base64");
    if (this.#claims.has(key)) return;
    this.#claims.set(key, claim);
    this.#keys.set(claim.id, key);
    if (this.#claims.size > MOST_KNOWN) this.forget(this.#claims.values().next().value!.id);
  }

  /** Returns a claim that has not expired, or `undefined` if it must be read first. */
  find(codeHmac: Buffer, now: Date): KnownClaim | undefined {
    const claim = this.#claims.get(codeHmac.toString("base64"));
    return claim && claim.expiresAt > now ? claim : undefined;
  }

  forget(id: string): void {
    const key = this.#keys.get(id);
    if (key === undefined) return;
    this.#keys.delete(id);
    this.#claims.delete(key);
  }
}
