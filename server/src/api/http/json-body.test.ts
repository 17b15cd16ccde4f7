import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isMusterError } from "../../lib/errors.ts";
import { anyCharacter } from "../../lib/test-support/any-character.ts";
import { parseJsonBody } from "./json-body.ts";

const parse = (text: string | Buffer) => parseJsonBody(Buffer.from(text as string));

test("ordinary JSON passes unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8, stringUnit: anyCharacter }), (value) => {
      const text = JSON.stringify(value);
      if (text.includes("\\u0000") || text.includes('"__proto__"') || /\\ud[89a-f]/i.test(text)) return;
      assert.deepEqual(parse(text), JSON.parse(text));
    }),
  );
});

test("input that a database, prototype or stack cannot handle is refused", () => {
  const bad: Record<string, string | Buffer> = {
    "not JSON": "{",
    "two values": "{}{}",
    "NUL in a value": '{"a":"x\\u0000y"}',
    "NUL in a key": '{"a\\u0000":1}',
    "half a surrogate pair": '{"a":["\\ud800"]}',
    "half a pair in a key": '{"\\udc00":1}',
    "a prototype": '{"a":{"__proto__":{"admin":true}}}',
    "a prototype, escaped": '{"\\u005f_proto__":1}',
    "deep arrays": "[".repeat(5000) + "]".repeat(5000),
    "deep objects": `${'{"a":'.repeat(100)}1${"}".repeat(100)}`,
    "bytes that are not UTF-8": Buffer.from([0x22, 0xff, 0x22]),
    "a surrogate in UTF-8": Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    "UTF-16": Buffer.from('{"a":1}', "utf16le"),
  };
  for (const [name, text] of Object.entries(bad))
    assert.throws(
      () => parse(text),
      (error) => isMusterError(error, "invalid_request"),
      name,
    );
});

test("a body that is not JSON is refused with the position, and never quoted", () => {
  const cases = {
    "{'name': 's3cret'}": "The body is not JSON: see line 1, column 2.",
    '{\n  "name": "s3cret",\n}': "The body is not JSON: see line 3, column 1.",
    '{"name": "s3cret': "The body is not JSON: see line 1, column 17.",
    '{"name": "s3cret"': "The body is not JSON: see line 1, column 18.",
    '{"name":': "The body is not JSON: it ends too early.",
    s3cret: "The body is not JSON.",
    "s (line 1 column 2)": "The body is not JSON.",
  };
  for (const [text, message] of Object.entries(cases)) assert.throws(() => parse(text), { message }, text);
});

test("any bytes are either parsed or refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        parseJsonBody(Buffer.from(bytes));
      } catch (error) {
        assert.ok(isMusterError(error, "invalid_request"));
      }
    }),
  );
});

test("an empty body has no value", () => {
  assert.equal(parse(""), undefined);
});
