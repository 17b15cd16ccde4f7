import { isIP } from "node:net";
import { type AddressRange, isInRanges, withoutMapping } from "../../lib/address.ts";

/**
 * Returns the client's address: that of the socket or, if the socket belongs to a trusted proxy, the last address of
 * `X-Forwarded-For` that is not itself a trusted proxy (docs/spec-decisions.md, Behind a proxy). The header is ignored
 * from any other peer.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | string[] | undefined,
  proxies: readonly AddressRange[],
): string {
  let address = withoutMapping(socketAddress ?? "unknown");
  if (forwardedFor === undefined || !isInRanges(address, proxies)) return address;
  const hops = String(forwardedFor).split(",");
  while (hops.length > 0 && isInRanges(address, proxies)) {
    const hop = withoutMapping(hops.pop()!.trim());
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}
