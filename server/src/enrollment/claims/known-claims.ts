/** A claim that could be redeemed when this process last saw it. */
export interface KnownClaim {
  readonly id: string;
  readonly tenantId: string;
  readonly expiresAt: Date;
}

/** Bounds the memory: some 300 bytes a claim. */
const MOST_KNOWN = 10_000;

/**
 * Claims that this process has made, or found redeemable, by the HMAC of their code. It only says for which codes a leaf may be signed
 * before the database is asked, so that their redemption takes one round trip; the statement that records it decides. What another process has changed
 * costs a signature that nothing accepts, once a claim.
 */
export class KnownClaims {
  readonly #claims = new Map<string, KnownClaim>();
  /** Id → key. */
  readonly #keys = new Map<string, string>();

  remember(codeHmac: Buffer, claim: KnownClaim): void {
    const key = codeHmac.toString("base64");
    if (this.#claims.has(key)) return;
    this.#claims.set(key, claim);
    this.#keys.set(claim.id, key);
    if (this.#claims.size > MOST_KNOWN) this.forget(this.#claims.values().next().value!.id);
  }

  /** A claim that has not expired; `undefined` where it is to be read first. */
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
