import assert from "node:assert/strict";
import { test } from "node:test";
import { isPublicAddress } from "./public-address.ts";
import { resolveTarget } from "./resolve-target.ts";

const NOT_PUBLIC = [
  "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.0.9 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 198.18.0.1",
  "192.0.0.8 192.0.2.1 198.51.100.7 203.0.113.9 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255",
  ":: ::1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1 ::7f00:1 64:ff9b::7f00:1 fe80::1 fe80::1%eth0 fc00::1",
  "fd00:ec2::254 fec0::1 ff02::1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 3fff::1 localhost 1.2.3 0x7f.1",
]
  .join(" ")
  .split(" ");

test("an address outside the public internet is recognized in every notation", () => {
  for (const address of NOT_PUBLIC) assert.equal(isPublicAddress(address), false, address);
  for (const address of ["1.1.1.1", "172.32.0.1", "100.128.0.1", "192.169.0.1", "2606:4700::1111", "2a00:1450::1"])
    assert.equal(isPublicAddress(address), true, address);
});

test("a webhook host is resolved once, and refused if any of its addresses is not public", async () => {
  let lookups = 0;
  const answers =
    (...addresses: string[]) =>
    async () => {
      lookups++;
      return addresses;
    };
  const target = (url: string, resolve = answers("1.1.1.1"), allow = false) =>
    resolveTarget(new URL(url), resolve, { allowed: allow, setting: "ALLOW" }, new AbortController().signal);
  assert.equal(await target("https://hooks.example/x", answers("1.1.1.1", "2606:4700::1111")), "1.1.1.1");
  assert.equal(lookups, 1);
  await assert.rejects(target("https://hooks.example/x", answers("1.1.1.1", "10.0.0.1")), /public internet/);
  await assert.rejects(target("https://hooks.example/x", answers()), /no address/);
  await assert.rejects(target("http://hooks.example/x"), /https/);
  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "017700000001", "[::1]", "[::ffff:10.0.0.1]", "[fd00::1]"])
    await assert.rejects(target(`https://${host}/x`), /public internet/, host);
  assert.equal(lookups, 3);
  assert.equal(await target("https://[::1]:8443/x", answers(), true), "::1");
});
