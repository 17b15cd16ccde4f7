import { type Address, addressText, referredAddress } from "./address.ts";

/** How often in a row a device goes where it is referred to. Two servers that refer to each other would keep it busy. */
const MOST_IN_A_ROW = 3;

/**
 * The server to which the broker has referred, for one attempt: after it, whatever came of it, the device goes back to the address of its
 * enrollment (MQTT 5, 4.11).
 */
export class Referral {
  #next: Address | undefined;
  #followed = 0;

  /** Takes note of a server reference; returns the address of the next attempt, or undefined where it is the usual one. */
  follow(reference: string | undefined): string | undefined {
    if (reference === undefined || this.#followed >= MOST_IN_A_ROW) return undefined;
    this.#next = referredAddress(reference);
    return this.#next === undefined ? undefined : addressText(this.#next);
  }

  /** The address of this attempt; undefined is the usual one. */
  take(): Address | undefined {
    const address = this.#next;
    this.#next = undefined;
    this.#followed = address === undefined ? 0 : this.#followed + 1;
    return address;
  }
}
