import { type AddressRange, addressBlock, isInRanges, withoutMapping } from "../lib/address.ts";
import type { Clock } from "../lib/clock.ts";
import { type AddressLimit, createAddressLimit } from "../lib/limits/address-limit.ts";
import type { RequestCounts } from "../lib/limits/request-counts.ts";
import type { OnCapReached } from "../lib/sockets/cap-reports.ts";
import type { BrokerLimits } from "./limits.ts";
import type { OutgoingBudget } from "./outgoing-budget.ts";
import type { ConnectAnswer } from "./policy/policy.ts";

export interface ConnectGateOptions {
  limits: Pick<BrokerLimits, "mqttConnectsPerMinute">;
  clock: Pick<Clock, "monotonicMs">;
  /** Addresses shared by many clients; their CONNECTs are not counted. */
  proxies: readonly AddressRange[];
  onCapReached: OnCapReached;
  requestCounts?: Pick<RequestCounts, "register"> | undefined;
}

/**
 * Refuses a CONNECT before the database is read for it: from an address that sends too many, or from any address while
 * too many bytes wait to be sent.
 */
export class ConnectGate {
  readonly #options: ConnectGateOptions;
  readonly #outgoing: Pick<OutgoingBudget, "isOver">;
  readonly #rate: AddressLimit;

  constructor(options: ConnectGateOptions, outgoing: Pick<OutgoingBudget, "isOver">) {
    this.#options = options;
    this.#outgoing = outgoing;
    const { limits, clock, requestCounts: counts } = options;
    this.#rate = createAddressLimit(limits.mqttConnectsPerMinute, clock, counts && { name: "connect", counts });
  }

  /** Counts a CONNECT from `address`. @returns why to refuse it; undefined if it may be authorized */
  refusalOf(address: string): ConnectAnswer | undefined {
    const { onCapReached } = this.#options;
    if (!this.#isExempt(address) && this.#rate.admit(addressBlock(address)) > 0) {
      onCapReached("connects", address);
      return "connection_rate_exceeded";
    }
    if (!this.#outgoing.isOver) return undefined;
    onCapReached("waiting", address);
    return "server_busy";
  }

  #isExempt(address: string): boolean {
    const { proxies } = this.#options;
    return proxies.length > 0 && isInRanges(withoutMapping(address), proxies);
  }
}
