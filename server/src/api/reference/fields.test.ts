import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schema } from "./document.ts";
import { fieldOf, fieldsOf } from "./fields.ts";

const asIs = <T>(value: T): T => value;
const typeOf = (schema: Schema) => fieldOf("field", schema, true, asIs).type;

test("types are written as in TypeScript", () => {
  assert.equal(typeOf({ type: "string" }), "string");
  assert.equal(typeOf({ type: "string", format: "date-time" }), "date-time");
  assert.equal(typeOf({ type: ["string", "null"] }), "string | null");
  assert.equal(typeOf({ anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] }), "date-time | null");
  assert.equal(typeOf({ type: "array", items: { type: "object" } }), "object[]");
  assert.equal(
    typeOf({ type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } }),
    "(string | number)[]",
  );
  assert.equal(typeOf({ type: "array", prefixItems: [{ type: "number" }, { type: "number" }] }), "[number, number]");
  assert.equal(typeOf({ enum: ["on", "off"] }), "string");
  assert.equal(typeOf({}), "any");
});

test("limits are given in words, for the field or the items of its list", () => {
  const facts = (schema: Schema) => fieldOf("field", schema, true, asIs).facts;
  assert.deepEqual(facts({ type: "string", minLength: 1, maxLength: 120 }), ["1 to 120 characters"]);
  assert.deepEqual(facts({ type: "integer", minimum: 5, maximum: 1440, default: 60 }), ["5 to 1440", "default 60"]);
  assert.deepEqual(facts({ type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), ["at least 0"]);
  assert.deepEqual(facts({ type: "array", maxItems: 9, items: { type: "string", maxLength: 3 } }), [
    "at most 9 items",
    "at most 3 characters",
  ]);
  assert.deepEqual(fieldOf("field", { anyOf: [{ enum: ["a", "b"] }, { type: "null" }] }, false, asIs).values, [
    "a",
    "b",
  ]);
});

test("the fields of objects are listed, through lists, alternatives and references", () => {
  const inner: Schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const resolve = <T extends object>(value: T): T => ("$ref" in value ? (inner as T) : value);
  for (const schema of [
    inner,
    { $ref: "#/inner" },
    { type: "array", items: { $ref: "#/inner" } },
    { anyOf: [{ $ref: "#/inner" }, { type: "null" }] },
    { allOf: [{ $ref: "#/inner" }] },
  ] satisfies Schema[]) {
    assert.deepEqual(
      fieldsOf(schema, resolve).map(({ name, required }) => [name, required]),
      [["name", true]],
    );
  }
});
