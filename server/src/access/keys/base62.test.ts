import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { base62, base62Number } from "./base62.ts";

test("numbers are written in base 62, padded with zeros", () => {
  const known: [number, string][] = [
    [0, "00"],
    [1, "01"],
    [10, "0A"],
    [36, "0a"],
    [61, "0z"],
    [62, "10"],
    [3843, "zz"],
  ];
  for (const [value, text] of known) {
    assert.equal(base62Number(value, 2), text);
    assert.equal(base62(Buffer.of(value >> 8, value & 255), 2), text);
  }
});

test("both ways of writing a number agree", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (value) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      assert.equal(base62Number(value, 6), base62(bytes, 6));
    }),
  );
});
