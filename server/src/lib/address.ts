import { isIPv6, SocketAddress } from "node:net";

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * What one peer counts as for limits: an IPv4 address itself, an IPv6 address its /64, because whoever has one address
 * of a /64 has them all. IPv4 written as IPv6 is IPv4. Text that is no address stands for itself.
 */
export function addressBlock(address: string): string {
  const plain = MAPPED.exec(address)?.[1] ?? address;
  return isIPv6(plain) ? `${firstHalf(plain)}::/64` : plain;
}

/** The first four groups, without leading zeros. */
function firstHalf(address: string): string {
  const compressed = new SocketAddress({ address: address.split("%")[0]!, family: "ipv6" }).address;
  const [head = "", tail] = compressed.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = tail === undefined ? 0 : 8 - width(before) - width(after);
  return [...before, ...Array<string>(missing).fill("0"), ...after].slice(0, 4).join(":");
}

/** How many groups of 16 bits these are; a dotted IPv4 tail is two. */
function width(groups: string[]): number {
  return groups.reduce((sum, group) => sum + (group.includes(".") ? 2 : 1), 0);
}
