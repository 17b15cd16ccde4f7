import { type Address, addressText, referredAddress } from "./address.ts";

/** The number of referrals that a device follows in a row. Two servers that refer to each other would keep it busy. */
const MOST_IN_A_ROW = 3;

/**
 * The server to which the broker has referred, for one attempt. After it, whatever the outcome, the device returns to
 * the address of its enrollment (MQTT 5, 4.11).
 */
export class Referral {
  #next: Address | undefined;
  #followed = 0;

  /** Records a server reference; returns the address of the next attempt, or undefined if it is the usual one. */
  follow(reference: string | undefined): string | undefined {
    if (reference === undefined || this.#followed >= MOST_IN_A_ROW) return undefined;
    this.#next = referredAddress(reference);
    return this.#next === undefined ? undefined : addressText(this.#next);
  }

  /** Returns the address of this attempt; undefined means the usual one. */
  take(): Address | undefined {
    const address = this.#next;
    this.#next = undefined;
    this.#followed = address === undefined ? 0 : this.#followed + 1;
    return address;
  }
}
