import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** A network and its prefix length; a single address is a range of one. */
export type AddressRange = [network: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number];

const ZONE = /%.*$/;
const IPV4_COMPATIBLE = /^::(?=\d+\.)/;

/**
 * Parses only what `node:net` accepts. ipaddr.js alone also accepts octal, hexadecimal and shortened IPv4, which other
 * programs read as a different address. It also reads `::1.2.3.4` as `::ffff:1.2.3.4`; the inserted `0:` prevents that.
 */
function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.parse(text.replace(ZONE, "").replace(IPV4_COMPATIBLE, "::0:"));
}

/** Parses an address or a range in CIDR notation (`10.0.0.0/8`); returns `undefined` if `text` is neither. */
export function addressRange(text: string): AddressRange | undefined {
  const [, address = text, prefix] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const network = parse(address);
  if (network === undefined) return undefined;
  const longest = network instanceof ipaddr.IPv4 ? 32 : 128;
  const prefixBits = Number(prefix ?? longest);
  return prefixBits <= longest ? [network, prefixBits] : undefined;
}

/**
 * Returns a range as PostgreSQL's `inet` compares it: without the bits of hosts, and IPv4 without the mapping to IPv6.
 * Returns `undefined` if `text` is neither an address nor a range.
 */
export function canonicalRange(text: string): string | undefined {
  const range = addressRange(text);
  if (!range) return undefined;
  const [network, prefixBits] = range;
  if (network instanceof ipaddr.IPv4)
    return `${ipaddr.IPv4.networkAddressFromCIDR(`${network}/${prefixBits}`)}/${prefixBits}`;
  if (network.isIPv4MappedAddress() && prefixBits >= MAPPED_BITS)
    return canonicalRange(`${network.toIPv4Address()}/${prefixBits - MAPPED_BITS}`);
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${network}/${prefixBits}`)}/${prefixBits}`;
}

/** The prefix length of `::ffff:0:0`. */
const MAPPED_BITS = 96;

/** Returns an address without its zone and mapping; `undefined` if `text` is not an address. */
export function plainAddress(text: string): string | undefined {
  return isIP(text) === 0 ? undefined : withoutMapping(text.replace(ZONE, ""));
}

/**
 * Reports whether `text` is an address in one of `ranges`. An IPv6 range contains IPv4 addresses as `::ffff:0:0/96`.
 */
export function isInRanges(text: string, ranges: readonly AddressRange[]): boolean {
  const address = parse(text);
  return address !== undefined && ranges.some((range) => contains(range, address));
}

function contains([network, prefixBits]: AddressRange, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (network instanceof ipaddr.IPv4) return address instanceof ipaddr.IPv4 && address.match(network, prefixBits);
  return (address instanceof ipaddr.IPv4 ? address.toIPv4MappedAddress() : address).match(network, prefixBits);
}

/** Returns a host as it appears in a URL: IPv6 addresses in brackets (RFC 3986 3.2.2). */
export function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Strips the `::ffff:` that a dual-stack socket puts before an IPv4 address; returns any other text unchanged. */
export function withoutMapping(text: string): string {
  if (!text.includes(":")) return text;
  const address = parse(text);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : text;
}

/**
 * Returns the key that a limit per client counts by: an IPv4 address, or the /64 of an IPv6 address, since a network
 * assigns a /64 to one subscriber. Text that is not an address is its own key.
 */
export function addressBlock(text: string): string {
  const plain = withoutMapping(text);
  const address = plain.includes(":") ? parse(plain) : undefined;
  if (!(address instanceof ipaddr.IPv6)) return plain;
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}

/** Returns the octets of an address in network order, 4 or 16; `undefined` if `text` is not an address. */
export function addressOctets(text: string): Uint8Array | undefined {
  const address = parse(text);
  return address && Uint8Array.from(address.toByteArray());
}
