import assert from "node:assert/strict";
import { test } from "node:test";
import { slugOf } from "./slug.ts";

test("a short name has only what topics may have, and is never too long", () => {
  assert.deepEqual(["Acme Pumps", "  Größe & Söhne ", "東京", "x".repeat(60), `${"a".repeat(39)} b`].map(slugOf), [
    "acme-pumps",
    "grosse-sohne",
    "",
    "x".repeat(40),
    "a".repeat(39),
  ]);
});
