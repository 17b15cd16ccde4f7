import assert from "node:assert/strict";
import { test } from "node:test";
import { addressBlock } from "./address.ts";

test("an IPv4 address counts for itself, however it is written", () => {
  assert.equal(addressBlock("192.0.2.7"), "192.0.2.7");
  assert.equal(addressBlock("::ffff:192.0.2.7"), "192.0.2.7");
  assert.equal(addressBlock("::FFFF:192.0.2.7"), "192.0.2.7");
});

test("addresses of one IPv6 /64 count as one, those of two do not", () => {
  assert.equal(addressBlock("2001:db8:1:2::1"), "2001:db8:1:2::/64");
  assert.equal(addressBlock("2001:0db8:0001:0002:ffff:ffff:ffff:ffff"), "2001:db8:1:2::/64");
  assert.equal(addressBlock("2001:db8:1:3::1"), "2001:db8:1:3::/64");
});

test("zeros left out of an IPv6 address are zeros of its /64", () => {
  assert.equal(addressBlock("::1"), "0:0:0:0::/64");
  assert.equal(addressBlock("2001:db8::5"), "2001:db8:0:0::/64");
  assert.equal(addressBlock("2001:db8:0:0:1::"), "2001:db8:0:0::/64");
  assert.equal(addressBlock("fe80::1%eth0"), "fe80:0:0:0::/64");
});

test("what is no address stands for itself", () => {
  assert.equal(addressBlock("unknown"), "unknown");
});
