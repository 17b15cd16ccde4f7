import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type DerElement, DerError, DerReader, TAG } from "./der-reader.ts";
import { der, namedBits, oid, setOf, smallInteger, time, unsignedInteger } from "./der-writer.ts";
import { checkWellFormed } from "./well-formed.ts";

function only(bytes: Buffer): DerElement {
  const reader = new DerReader(bytes);
  const element = reader.next();
  reader.finish("test");
  return element;
}

test("the reader reads what the writer wrote, whatever the size of the length", () => {
  for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536, 100_000]) {
    const value = Buffer.alloc(length, 1);
    const element = only(der(TAG.octetString, value));
    assert.deepEqual(element.content(), value);
    assert.equal(element.whole().length, element.end);
  }
});

const MALFORMED: Record<string, string> = {
  nothing: "",
  "a tag alone": "30",
  "a length that is not minimal, one octet": "04810101",
  "a length that is not minimal, two octets": `048200ff${"00".repeat(255)}`,
  "an indefinite length": "30800000",
  "a reserved length": "04ff",
  "a length of four octets": "048400000001ff",
  "a length cut off": "0482ff",
  "a value cut off": "040500",
  "trailing bytes": "050000",
  "an end-of-contents tag": "0000",
  "a long-form tag": "1f8101",
};

for (const [what, hex] of Object.entries(MALFORMED)) {
  test(`the reader refuses ${what}`, () => {
    assert.throws(() => only(Buffer.from(hex, "hex")), DerError);
  });
}

const INVALID: Record<string, string> = {
  "a boolean of 1": "010101",
  "a boolean of two octets": "0102ffff",
  "an empty integer": "0200",
  "an integer with a needless zero": "02020001",
  "an integer with a needless ff": "0202ff80",
  "an empty bit string": "0300",
  "a bit string of eight unused bits": "03020800",
  "a bit string with unused bits set": "03020101",
  "a null with a value": "050100",
  "an empty object identifier": "0600",
  "an object identifier cut off": "06022a86",
  "an object identifier with a needless 80": "06032a8001",
  "a constructed octet string": "2403040100",
  "a primitive sequence": "1000",
  "overlong UTF-8": "0c02c080",
  "a control character in a string": "130107",
  "eight bits in a printable string": "1301ff",
  "half a BMP character": "1e0100",
  "a fault inside a context tag": "a003010101",
};

for (const [what, hex] of Object.entries(INVALID)) {
  test(`${what} is not well formed`, () => {
    assert.throws(() => checkWellFormed(new DerReader(Buffer.from(hex, "hex")).next()), DerError);
  });
}

test("the reader reads arbitrary bytes or throws DerError, and never reads beyond their end", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const buffer = Buffer.from(bytes);
      try {
        const reader = new DerReader(buffer);
        while (reader.more) {
          const element = reader.next();
          assert.ok(element.end <= buffer.length && element.contentStart <= element.end);
          checkWellFormed(element);
        }
      } catch (error) {
        assert.ok(error instanceof DerError, String(error));
      }
    }),
    { numRuns: 5000 },
  );
});

test("integers, bits, object identifiers and sets are written in their unique DER form", () => {
  assert.equal(smallInteger(0).toString("hex"), "020100");
  assert.equal(smallInteger(128).toString("hex"), "02020080");
  assert.equal(unsignedInteger(Buffer.from("0000ff", "hex")).toString("hex"), "020200ff");
  assert.equal(namedBits(0).toString("hex"), "03020780");
  assert.equal(namedBits(5, 6).toString("hex"), "03020106");
  assert.equal(oid("1.2.840.113549.1.9.14").toString("hex"), "06092a864886f70d01090e");
  assert.equal(oid("2.16.840.1.101.3.4.2.1").toString("hex"), "0609608648016503040201");
  assert.equal(setOf(smallInteger(2), smallInteger(1)).toString("hex"), "3106020101020102");
});

test("times are UTCTime until 2049 and GeneralizedTime from 2050, without fractions", () => {
  assert.equal(time(new Date("2049-12-31T23:59:59.999Z")).toString("latin1"), "\x17\x0d491231235959Z");
  assert.equal(time(new Date("2050-01-01T00:00:00Z")).toString("latin1"), "\x18\x0f20500101000000Z");
});
