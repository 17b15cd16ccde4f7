import { type Access, type Admission, invalidApiKey } from "../../access/access.ts";
import { type Clock, SECOND } from "../../lib/clock.ts";
import { isMusterError } from "../../lib/errors.ts";
import { RefusedCredentials } from "../../lib/limits/refused-credentials.ts";

/** The time for which an invalid key is refused without querying the database again. */
const INVALID_MS = 2 * SECOND;

/**
 * Admits requests by their API keys. A refused key is refused again without a statement for as long as the refusal is
 * certain to hold.
 */
export class KeyAdmissions {
  readonly #access: Pick<Access, "admitRequest">;
  readonly #invalid: RefusedCredentials;
  readonly #limited: RefusedCredentials;
  /** The latest refusal by the rate limit, which is the same for all keys except for its time. */
  #refusal: Admission | undefined;

  constructor(access: Pick<Access, "admitRequest">, clock: Pick<Clock, "monotonicMs">) {
    this.#access = access;
    this.#invalid = new RefusedCredentials(clock);
    this.#limited = new RefusedCredentials(clock);
  }

  /**
   * Authenticates and counts a request, like `access.admitRequest`. Until the oldest request of a full window leaves
   * it, the next one cannot be admitted.
   *
   * @throws MusterError invalid_api_key
   */
  async admit(key: string | undefined, address: string): Promise<Admission> {
    if (key === undefined) return await this.#access.admitRequest(undefined, address);
    if (this.#invalid.millisecondsLeft(key) > 0) throw invalidApiKey();
    const resetMs = this.#limited.millisecondsLeft(key);
    if (this.#refusal && resetMs > 0) return { ...this.#refusal, resetMs, resetSeconds: Math.ceil(resetMs / SECOND) };
    return await this.#ask(key, address);
  }

  async #ask(key: string, address: string): Promise<Admission> {
    try {
      const admission = await this.#access.admitRequest(key, address);
      if (!admission.admitted) {
        this.#refusal = admission;
        this.#limited.add(key, admission.resetMs);
      }
      return admission;
    } catch (error) {
      if (isMusterError(error) && error.code === "invalid_api_key") this.#invalid.add(key, INVALID_MS);
      throw error;
    }
  }
}
