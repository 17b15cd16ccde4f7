import type { Socket } from "node:net";
import { type AddressRange, addressBlock, isInRanges, withoutMapping } from "../address.ts";
import type { UnauthenticatedBudget } from "../limits/unauthenticated-budget.ts";

/** What a connection costs that ends without having authenticated: its TLS handshake is worth some five small requests. */
export const CONNECTION_TOKENS = 5;

/** Charges address blocks for their connections that end without having authenticated, and refuses further ones of a block in debt. */
export class UnauthenticatedConnections {
  readonly #budget: UnauthenticatedBudget;
  readonly #exempt: readonly AddressRange[];
  readonly #known = new WeakSet<Socket>();

  /** @param exempt addresses that many clients share, such as those of proxies */
  constructor(budget: UnauthenticatedBudget, exempt: readonly AddressRange[]) {
    this.#budget = budget;
    this.#exempt = exempt;
  }

  /** @returns whether to close the connection at once: its block has used up its budget */
  refuses(raw: Socket): boolean {
    const address = raw.remoteAddress ?? "";
    if (this.isExempt(address)) return false;
    const block = addressBlock(address);
    if (this.#budget.isSpent(block)) return true;
    raw.once("close", () => {
      if (!this.#known.has(raw)) this.#budget.charge(block, CONNECTION_TOKENS);
    });
    return false;
  }

  /** The client has authenticated. */
  authenticated(raw: Socket): void {
    this.#known.add(raw);
  }

  isExempt(address: string): boolean {
    return this.#exempt.length > 0 && isInRanges(withoutMapping(address), this.#exempt);
  }
}
