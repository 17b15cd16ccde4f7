import { type Clock, MINUTE, SECOND } from "../clock.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

/** The number of blocks with less than a full budget; above it, the least recently charged one is forgotten. */
const MOST_BLOCKS = DEFAULT_LIMITS.rateLimitedAddresses;

export interface UnauthenticatedBudgetOptions {
  /** The tokens of a block that was not charged. `Infinity` for no limit. */
  readonly burst: number;
  readonly refillPerSecond: number;
}

interface Account {
  tokens: number;
  /** The time to which `tokens` refers, in monotonic milliseconds. */
  at: number;
}

/**
 * A token bucket per address block (IPv4 /32, IPv6 /64) for everything unauthenticated. Charges are refunded on
 * authentication, so that only clients without credentials pay. A block may go into debt, by at most one minute's
 * refill; while it is in debt its connections are refused at accept.
 */
export class UnauthenticatedBudget {
  readonly #options: UnauthenticatedBudgetOptions;
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** The accounts, the least recently charged first. */
  readonly #accounts = new Map<string, Account>();

  constructor(options: UnauthenticatedBudgetOptions, clock: Pick<Clock, "monotonicMs">) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Takes tokens from the block's budget, even if it does not have enough. */
  charge(block: string, tokens: number): void {
    if (this.#options.burst === Number.POSITIVE_INFINITY) return;
    const debt = (this.#options.refillPerSecond * MINUTE) / SECOND;
    this.#set(block, Math.max(-debt, this.#tokensOf(block) - tokens));
  }

  /** Refunds tokens that were charged before the client authenticated. */
  refund(block: string, tokens: number): void {
    if (this.#accounts.has(block)) this.#set(block, this.#tokensOf(block) + tokens);
  }

  /** Reports whether the block's budget is used up. */
  isSpent(block: string): boolean {
    return this.#tokensOf(block) <= 0;
  }

  /** Returns the whole seconds until the block has tokens again; 0 if it has some. */
  secondsUntilRefilled(block: string): number {
    const tokens = this.#tokensOf(block);
    return tokens > 0 ? 0 : Math.ceil((1 - tokens) / this.#options.refillPerSecond);
  }

  #tokensOf(block: string): number {
    const { burst, refillPerSecond } = this.#options;
    const account = this.#accounts.get(block);
    if (!account) return burst;
    const refilled = ((this.#clock.monotonicMs() - account.at) * refillPerSecond) / SECOND;
    return Math.min(burst, account.tokens + refilled);
  }

  #set(block: string, tokens: number): void {
    this.#accounts.delete(block);
    if (tokens >= this.#options.burst) return;
    this.#accounts.set(block, { tokens, at: this.#clock.monotonicMs() });
    if (this.#accounts.size > MOST_BLOCKS) this.#accounts.delete(this.#accounts.keys().next().value!);
  }
}
