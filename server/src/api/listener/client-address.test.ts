import assert from "node:assert/strict";
import { test } from "node:test";
import { addressRange } from "../../lib/address.ts";
import { clientAddress } from "./client-address.ts";

const proxies = ["10.0.0.0/8", "192.0.2.7", "fd00::/8"].map((text) => addressRange(text)!);

test("addresses and ranges are trusted, even if a dual-stack socket writes IPv4 as IPv6", () => {
  const trusts = (socket: string) => clientAddress(socket, "198.51.100.1", proxies) === "198.51.100.1";
  for (const address of ["10.1.2.3", "192.0.2.7", "::ffff:10.1.2.3", "fd12::1"]) assert.ok(trusts(address), address);
  for (const address of ["11.1.2.3", "192.0.2.8", "2001:db8::1", "unknown", "", "10.1.2.3, 10.1.2.4"])
    assert.ok(!trusts(address), address);
  assert.equal(clientAddress("127.0.0.1", "198.51.100.1", []), "127.0.0.1");
});

test("X-Forwarded-For counts only from a trusted proxy, and only up to the first untrusted address", () => {
  const of = (socket: string, header?: string) => clientAddress(socket, header, proxies);
  assert.equal(of("203.0.113.9", "198.51.100.1"), "203.0.113.9", "the header of an untrusted peer is ignored");
  assert.equal(of("10.1.2.3", "198.51.100.1"), "198.51.100.1");
  assert.equal(of("::ffff:10.1.2.3", "198.51.100.1"), "198.51.100.1");
  assert.equal(of("10.1.2.3", "1.1.1.1, 198.51.100.1"), "198.51.100.1", "the client's own entry is not believed");
  assert.equal(of("10.1.2.3", "198.51.100.1, 10.9.9.9"), "198.51.100.1", "through a second trusted proxy");
  assert.equal(of("10.1.2.3", "rubbish"), "10.1.2.3");
  assert.equal(of("10.1.2.3", "198.51.100.1, <script>"), "10.1.2.3");
  assert.equal(of("10.1.2.3"), "10.1.2.3");
});
