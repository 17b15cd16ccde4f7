import assert from "node:assert/strict";
import { test } from "node:test";
import { browserOf } from "./browser-of.ts";

test("a browser is recognized by its most specific name, and another program by what it sent", () => {
  const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
  const edge =
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0";
  assert.deepEqual(["curl/8.1", "", chrome, edge].map(browserOf), [
    "curl/8.1",
    "Unknown program",
    "Chrome on Linux",
    "Edge on Windows",
  ]);
});
