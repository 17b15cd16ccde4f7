import type { Socket } from "node:net";
import { type AddressRange, addressBlock, isInRanges, withoutMapping } from "../address.ts";
import { CHARGES } from "../limits/https.ts";
import type { UnauthenticatedBudget } from "../limits/unauthenticated-budget.ts";

/**
 * Charges address blocks for connections that end without authenticating, and refuses further ones from a block in
 * debt.
 */
export class UnauthenticatedConnections {
  readonly #budget: UnauthenticatedBudget;
  readonly #exempt: readonly AddressRange[];
  readonly #known = new WeakSet<Socket>();

  /** @param exempt addresses shared by many clients, such as those of proxies */
  constructor(budget: UnauthenticatedBudget, exempt: readonly AddressRange[]) {
    this.#budget = budget;
    this.#exempt = exempt;
  }

  /** Registers a new connection. @returns whether to close it immediately because its block has used up its budget */
  refuses(raw: Socket): boolean {
    const address = raw.remoteAddress ?? "";
    if (this.isExempt(address)) return false;
    const block = addressBlock(address);
    if (this.#budget.isSpent(block)) return true;
    raw.once("close", () => {
      if (!this.#known.has(raw)) this.#budget.charge(block, CHARGES.connection);
    });
    return false;
  }

  /** Records that the client has authenticated. */
  authenticated(raw: Socket): void {
    this.#known.add(raw);
  }

  isExempt(address: string): boolean {
    return this.#exempt.length > 0 && isInRanges(withoutMapping(address), this.#exempt);
  }
}
