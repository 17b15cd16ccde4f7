import { throwIfEnded, unlessEnded } from "../../load/interrupt.ts";
import { sleep } from "../../load/measure.ts";
import { type ApiAnswer, requestJson } from "../../server/src/demo/public-api.ts";

/** Further attempts at a request whose connection fails: each at the next node. */
const ATTEMPTS = 4;

/** The HTTPS addresses of a service. */
export interface HttpsTarget {
  /** The base addresses of each node or of the load balancer. */
  readonly urls: readonly string[];
  /** A PEM; the roots that Node trusts when undefined. */
  readonly ca: string | undefined;
}

/** Sends requests to any node, again where a rate limit refuses them. */
export class Api {
  readonly #target: HttpsTarget;
  readonly #keys: string[];
  readonly #newKey: (() => Promise<string>) | undefined;
  readonly #onWait: (seconds: number) => void;
  #turn = 0;
  #isCleaningUp = false;

  /**
   * @param keys take turns: each admits 120 requests a minute
   * @param newKey creates another one when those are used up
   * @param onWait called before the API waits for a rate limit
   */
  constructor(
    target: HttpsTarget,
    keys: readonly string[],
    { newKey, onWait }: { newKey?: () => Promise<string>; onWait: (seconds: number) => void },
  ) {
    this.#target = target;
    this.#keys = [...keys];
    this.#newKey = newKey;
    this.#onWait = onWait;
  }

  /** Lets requests go on after a signal that ends the run. */
  cleanUp(): void {
    this.#isCleaningUp = true;
  }

  get hasKey(): boolean {
    return this.#keys.length > 0 || this.#newKey !== undefined;
  }

  /**
   * Calls the public API.
   *
   * @param node index of the address; where it does not answer, the next one is tried
   * @param onSend called before each attempt
   * @returns the body of the answer. @throws Error for any status but `status`
   */
  async call(
    status: number,
    method: string,
    path: string,
    { body, node, onSend }: { body?: object; node?: number; onSend?: () => void } = {},
  ): Promise<ApiAnswer["body"]> {
    for (;;) {
      if (this.#keys.length === 0) this.#keys.push(await this.#newKey!());
      const key = this.#keys[this.#turn++ % this.#keys.length]!;
      onSend?.();
      const answer = await this.#send(method, `/api/v1${path}`, body, { "x-api-key": key }, node);
      if (answer.status === status) return answer.body;
      if (answer.status !== 429) throw refusal(method, path, answer);
      if (this.#newKey) this.#keys.splice(0, this.#keys.length, await this.#newKey());
      else await this.#wait(answer);
    }
  }

  /** Redeems a claim code. @returns the body of the answer. @throws Error for a refusal */
  async redeem(body: object): Promise<ApiAnswer["body"]> {
    for (;;) {
      const path = "/api/provisioning/claim";
      const answer = await this.#send("POST", path, body, {}, this.#turn++);
      if (answer.status === 200) return answer.body;
      if (answer.status !== 429) throw refusal("POST", path, answer);
      await this.#wait(answer);
    }
  }

  async #wait({ retryAfter = 1 }: ApiAnswer): Promise<void> {
    this.#onWait(retryAfter);
    const waited = sleep(retryAfter * 1000);
    await (this.#isCleaningUp ? waited : unlessEnded(waited));
  }

  async #send(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
    node = 0,
  ): Promise<ApiAnswer> {
    if (!this.#isCleaningUp) throwIfEnded();
    const { urls, ca } = this.#target;
    for (let attempt = 0; ; attempt++) {
      const url = urls[(node + attempt) % urls.length]!;
      try {
        return await requestJson(`${url}${path}`, { method, ca, headers, body });
      } catch (error) {
        // Nothing listens there, so no node has the request.
        const { code, message } = error as NodeJS.ErrnoException;
        if (code !== "ECONNREFUSED" || urls.length === 1 || attempt === ATTEMPTS)
          throw new Error(`${url}: ${message || code}`, { cause: error });
      }
    }
  }
}

function refusal(method: string, path: string, { status, body }: ApiAnswer): Error {
  return new Error(`${method} ${path}: ${status} ${body?.error ?? ""}: ${body?.message ?? ""}`);
}
