import assert from "node:assert/strict";
import { isIP, isIPv6 } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import {
  addressBlock,
  addressOctets,
  addressRange,
  canonicalRange,
  isInRanges,
  plainAddress,
  withoutMapping,
} from "./address.ts";

test("an IPv4 address is its own block, even if written as IPv6", () => {
  assert.equal(addressBlock("192.0.2.7"), "192.0.2.7");
  assert.equal(addressBlock("::ffff:192.0.2.7"), "192.0.2.7");
  assert.equal(addressBlock("::FFFF:192.0.2.7"), "192.0.2.7");
  assert.equal(addressBlock("::ffff:c000:207"), "192.0.2.7");
});

test("IPv6 addresses share a block if they share a /64", () => {
  assert.equal(addressBlock("2001:db8:1:2::1"), "2001:db8:1:2::/64");
  assert.equal(addressBlock("2001:0db8:0001:0002:ffff:ffff:ffff:ffff"), "2001:db8:1:2::/64");
  assert.equal(addressBlock("2001:db8:1:3::1"), "2001:db8:1:3::/64");
});

test("zeros omitted from an IPv6 address are zeros of its /64", () => {
  assert.equal(addressBlock("::1"), "0:0:0:0::/64");
  assert.equal(addressBlock("2001:db8::5"), "2001:db8:0:0::/64");
  assert.equal(addressBlock("2001:db8:0:0:1::"), "2001:db8:0:0::/64");
  assert.equal(addressBlock("fe80::1%eth0"), "fe80:0:0:0::/64");
  assert.equal(addressBlock("fe80::1%eth0.100-a"), "fe80:0:0:0::/64");
});

test("text that is not an address is its own block", () => {
  for (const text of ["unknown", "", "1.2.3", "0x7f.1", "127.0.0.01", "::ffff:1.2.3", "[::1]", "::1/64"]) {
    assert.equal(addressBlock(text), text);
    assert.equal(withoutMapping(text), text);
    assert.equal(addressOctets(text), undefined);
    assert.equal(isInRanges(text, [addressRange("0.0.0.0/0")!, addressRange("::/0")!]), false);
  }
});

test("only an IPv4-mapped address is stripped of its prefix", () => {
  assert.equal(withoutMapping("::ffff:10.1.2.3"), "10.1.2.3");
  for (const text of ["10.1.2.3", "::10.1.2.3", "64:ff9b::a01:203", "2001:db8::1"])
    assert.equal(withoutMapping(text), text);
});

test("a range is an address or CIDR; anything else is refused", () => {
  for (const text of ["10.0.0.0/8", "192.0.2.7", "fd00::/8", "::1", "::/0", "0.0.0.0/0"])
    assert.ok(addressRange(text), text);
  for (const text of [
    "",
    "/8",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/x",
    "10.0.0.0/8/8",
    "10/8",
    "010.0.0.0/8",
  ])
    assert.equal(addressRange(text), undefined, text);
  for (const text of ["fd00::/129", "fd00::/x", "*", "proxy.example", "10.0.0.0/255.0.0.0", "10.0.0.0/8 "])
    assert.equal(addressRange(text), undefined, text);
});

test("IPv4 is in an IPv6 range by its mapped form; IPv4 ranges contain no IPv6", () => {
  const inside = (address: string, range: string) => isInRanges(address, [addressRange(range)!]);
  assert.ok(inside("10.1.2.3", "::ffff:10.0.0.0/104"));
  assert.ok(inside("10.1.2.3", "::/0"));
  assert.ok(!inside("11.1.2.3", "::ffff:10.0.0.0/104"));
  assert.ok(!inside("::ffff:10.1.2.3", "10.0.0.0/8"));
  assert.ok(!inside("::10.1.2.3", "10.0.0.0/8"));
  assert.ok(inside("10.1.2.3", "10.1.2.3"));
  assert.ok(!inside("10.1.2.2", "10.1.2.3"));
});

test("every spelling of an address that Node accepts is read as the same address", () => {
  const address = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc
      .tuple(fc.constantFrom("::", "::ffff:", "::0:", "64:ff9b::", "1:2:3:4:5:6:"), fc.ipV4())
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(address, (text) => {
      assert.notEqual(isIP(text), 0);
      const octets = Buffer.from(addressOctets(text)!);
      assert.equal(octets.length, isIPv6(text) ? 16 : 4);
      if (isIPv6(text)) {
        const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
        assert.deepEqual(Buffer.from(addressOctets(canonical)!), octets);
        assert.equal(addressBlock(canonical), addressBlock(text));
      }
      assert.ok(isInRanges(text, [addressRange(text)!]));
    }),
  );
});

test("a canonical range has no bits of hosts and no mapping, and contains the same addresses", () => {
  for (const [text, canonical] of [
    ["10.1.2.3", "10.1.2.3/32"],
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["2001:DB8:0::7/32", "2001:db8::/32"],
    ["::ffff:10.1.2.3", "10.1.2.3/32"],
    ["::ffff:10.1.2.3/104", "10.0.0.0/8"],
    ["10.0.0.0/33", undefined],
    ["010.0.0.0/8", undefined],
    ["plant.example", undefined],
  ] as const)
    assert.equal(canonicalRange(text), canonical, text);
  fc.assert(
    fc.property(
      fc.oneof(fc.ipV4(), fc.ipV6()),
      fc.oneof(fc.ipV4(), fc.ipV6()),
      fc.nat(128),
      (network, address, bits) => {
        const text = `${network}/${isIPv6(network) ? bits : bits % 33}`;
        const canonical = canonicalRange(text)!;
        assert.equal(canonicalRange(canonical), canonical);
        const ranges = (of: string) => [addressRange(of)!];
        assert.ok(isInRanges(network, ranges(canonical)));
        assert.equal(isInRanges(address, ranges(canonical)), isInRanges(address, ranges(text)));
      },
    ),
  );
});

test("a plain address has neither zone nor mapping", () => {
  assert.equal(plainAddress("fe80::1%eth0"), "fe80::1");
  assert.equal(plainAddress("::ffff:192.0.2.7"), "192.0.2.7");
  assert.equal(plainAddress("unknown"), undefined);
});
