import type { FastifyRequest } from "fastify";
import { type AddressRange, addressBlock } from "../../lib/address.ts";
import type { Clock } from "../../lib/clock.ts";
import { createAddressLimit } from "../../lib/limits/address-limit.ts";
import type { RequestCounts } from "../../lib/limits/request-counts.ts";
import { clientAddress } from "../listener/client-address.ts";
import { Refusal } from "../problem.ts";

/** The limit of a page without sign-in. */
export interface PageLimit {
  name: string;
  perMinute: number;
  clock: Clock;
  counts: RequestCounts;
  trustedProxies: readonly AddressRange[];
}

/** Returns a function that counts a request of an address and throws `rate_limited` beyond the limit. */
export function admitAddress({ name, perMinute, clock, counts, trustedProxies }: PageLimit) {
  const limit = createAddressLimit(perMinute, clock, { name, counts });
  return ({ raw }: FastifyRequest): void => {
    const address = clientAddress(raw.socket.remoteAddress, raw.headers["x-forwarded-for"], trustedProxies);
    const waitSeconds = limit.admit(addressBlock(address));
    if (waitSeconds > 0)
      throw new Refusal("rate_limited", "too many requests from this address", {
        extra: { retryAfterSeconds: waitSeconds },
      });
  };
}
