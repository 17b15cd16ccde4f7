import assert from "node:assert/strict";
import { test } from "node:test";
import { samePlacePath } from "./same-place-path.ts";

const ORIGIN = "https://muster.example";

test("after the sign-in the app opens the wanted address, with its query", () => {
  assert.equal(samePlacePath("/devices?q=pump#top", ORIGIN), "/devices?q=pump#top");
});

test("an address elsewhere, a script and the sign-in itself lead to the first page", () => {
  const elsewhere = [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
  ];
  for (const next of [...elsewhere, "/..//evil.example", "/sign-in?next=/", undefined, 7]) {
    assert.equal(samePlacePath(next, ORIGIN), "/", String(next));
  }
});
