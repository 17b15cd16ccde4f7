import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bodyLength, proxiedPeer } from "./proxy-protocol.ts";

/** Returns the first 16 bytes of a header. */
function head(command: number, family: number, length: number): Buffer {
  return Buffer.from([13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10, command, family, length >> 8, length & 255]);
}

test("a header names its client over IPv4 and IPv6; anything after the addresses is skipped", () => {
  const four = Buffer.from([203, 0, 113, 7, 10, 0, 0, 1, 0xc0, 0x01, 0x22, 0xb3, 3, 0, 0]);
  assert.deepEqual(proxiedPeer(head(0x21, 0x11, 15), four), { address: "203.0.113.7", port: 49_153 });
  const six = Buffer.concat([
    Buffer.from("20010db8000000000000000000000007", "hex"),
    Buffer.alloc(16),
    Buffer.from([1, 2, 0, 0]),
  ]);
  assert.deepEqual(proxiedPeer(head(0x21, 0x21, 36), six), { address: "2001:db8::7", port: 258 });
});

test("a proxy's own connection, and one of another family, names no client", () => {
  assert.equal(proxiedPeer(head(0x20, 0x00, 0), Buffer.alloc(0)), undefined);
  assert.equal(proxiedPeer(head(0x21, 0x31, 216), Buffer.alloc(216)), undefined);
});

test("anything else is not a header", () => {
  assert.equal(bodyLength(head(0x21, 0x11, 12)), 12);
  assert.throws(() => bodyLength(head(0x21, 0x11, 5_000)), /5000 bytes/);
  assert.throws(() => bodyLength(Buffer.from("PROXY TCP4 1.2.3.4")), /no PROXY header of version 2/);
  assert.throws(() => proxiedPeer(head(0x11, 0x11, 12), Buffer.alloc(12)), /command/);
  assert.throws(() => proxiedPeer(head(0x21, 0x21, 12), Buffer.alloc(12)));
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      assert.throws(() => bodyLength(Buffer.from(bytes)));
    }),
  );
});
