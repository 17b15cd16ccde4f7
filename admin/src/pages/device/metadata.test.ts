import assert from "node:assert/strict";
import { test } from "node:test";
import { metadataIn, metadataRule, metadataText } from "./metadata.ts";

test("metadata is edited as text and comes back as it was", () => {
  const metadata = { hall: 3, tags: ["a", "b"], owner: { name: "Ada" } };
  assert.deepEqual(metadataIn(metadataText(metadata)), metadata);
  assert.equal(metadataText({}), "");
  assert.deepEqual(metadataIn("  "), {});
});

test("only a JSON object is metadata", () => {
  for (const text of ["[]", "3", "null", '"text"', "{ hall: 3 }", "{"]) assert.notEqual(metadataRule(text), null, text);
  for (const text of ["", "{}", '{ "hall": 3 }']) assert.equal(metadataRule(text), null, text);
});
