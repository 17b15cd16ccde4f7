import { type AddressRange, addressRange, isInRanges } from "../address.ts";

/** IPv4, and the only IPv6 block from which internet addresses are assigned (RFC 4291 2.5.4). */
const PUBLIC = ranges("0.0.0.0/0", "2000::/3");

/** The parts of {@link PUBLIC} that the IANA special-purpose registries (RFC 6890) reserve. */
const SPECIAL = ranges(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  // Protocol assignments with Teredo, documentation, 6to4 (which carries an IPv4 address), documentation.
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
);

/**
 * Checks whether an address is on the public internet: not this machine, a private or shared network, link-local (cloud
 * metadata), multicast or reserved. IPv4-mapped IPv6, unique local addresses and NAT64 are outside `2000::/3`, so they
 * are not public either.
 */
export function isPublicAddress(address: string): boolean {
  return isInRanges(address, PUBLIC) && !isInRanges(address, SPECIAL);
}

function ranges(...texts: string[]): AddressRange[] {
  return texts.map((text) => addressRange(text)!);
}
