import { BlockList, isIP } from "node:net";

const V4_ELSEWHERE: [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];
/** Within 2000::/3: protocol assignments with Teredo, documentation, 6to4, which carries an IPv4 address. */
const V6_ELSEWHERE: [string, number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const elsewhere = new BlockList();
for (const [net, bits] of V4_ELSEWHERE) elsewhere.addSubnet(net, bits, "ipv4");
for (const [net, bits] of V6_ELSEWHERE) elsewhere.addSubnet(net, bits, "ipv6");
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");

/**
 * Whether an address is of the public internet (IANA special-purpose registries, RFC 6890): not this machine, not a
 * private or shared network, not link-local (cloud metadata), not multicast or reserved. Of IPv6 only global unicast
 * counts, so IPv4 written as IPv6, unique local addresses and NAT64 do not.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !elsewhere.check(address, "ipv4");
  return family === 6 && global6.check(address, "ipv6") && !elsewhere.check(address, "ipv6");
}
