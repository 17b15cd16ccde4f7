import { BlockList, isIP } from "node:net";

/** Proxies whose forwarding headers are believed (docs/spec-decisions.md, Behind a proxy). */
export interface TrustedProxies {
  trusts(address: string): boolean;
}

/**
 * @param entries addresses or CIDR ranges
 * @throws Error naming the entry that is neither
 */
export function trustedProxies(entries: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const entry of entries) addEntry(list, entry);
  if (entries.length === 0) return { trusts: () => false };
  return {
    trusts: (address) => {
      const plain = plainAddress(address);
      const version = isIP(plain);
      return version !== 0 && list.check(plain, version === 4 ? "ipv4" : "ipv6");
    },
  };
}

function addEntry(list: BlockList, entry: string): void {
  const [address = "", prefix, ...rest] = entry.split("/");
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (version === 0 || rest.length > 0 || length < 0 || length > bits) {
    throw new Error(`MUSTER_TRUSTED_PROXIES: ${entry} is neither an address nor a range like 10.0.0.0/8`);
  }
  list.addSubnet(address, length, version === 4 ? "ipv4" : "ipv6");
}

/** The address without the `::ffff:` that a dual-stack socket puts before IPv4. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}

/**
 * Where the request came from: the socket's address, or behind trusted proxies the last address of `X-Forwarded-For`
 * that is not itself a trusted proxy. Anybody else's header is ignored.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | string[] | undefined,
  proxies: TrustedProxies,
): string {
  let address = plainAddress(socketAddress ?? "unknown");
  if (forwardedFor === undefined || !proxies.trusts(address)) return address;
  const hops = String(forwardedFor).split(",");
  while (hops.length > 0 && proxies.trusts(address)) {
    const hop = plainAddress(hops.pop()!.trim());
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}
