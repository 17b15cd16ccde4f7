import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMetadata, MAX_METADATA_BYTES, MAX_METADATA_DEPTH, MAX_METADATA_KEYS } from "./metadata.ts";

const refused = { code: "invalid_request", detail: "metadata" };

test("metadata is accepted up to its limits, and refused beyond them", () => {
  const text = (bytes: number) => ({ a: "x".repeat(bytes - '{"a":""}'.length) });
  assert.equal(checkMetadata(text(MAX_METADATA_BYTES)).a, text(MAX_METADATA_BYTES).a);
  assert.throws(() => checkMetadata(text(MAX_METADATA_BYTES + 1)), refused);
  assert.throws(() => checkMetadata({ a: "é".repeat(MAX_METADATA_BYTES / 2) }), refused);

  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
  assert.equal(Object.keys(checkMetadata(fields(MAX_METADATA_KEYS))).length, MAX_METADATA_KEYS);
  assert.throws(() => checkMetadata(fields(MAX_METADATA_KEYS + 1)), refused);

  const nested = (depth: number): Record<string, unknown> => (depth === 1 ? {} : { a: [nested(depth - 2)] });
  assert.doesNotThrow(() => checkMetadata(nested(MAX_METADATA_DEPTH - 1)));
  assert.throws(() => checkMetadata(nested(MAX_METADATA_DEPTH + 1)), refused);
});

test("a number that would be stored as null is refused", () => {
  assert.throws(() => checkMetadata(JSON.parse('{"a":[1e999]}')), refused);
});
