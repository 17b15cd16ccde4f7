import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { noticesOfApp } from "./notices.ts";

test("the notices of the admin app have the licence and its text of each package in it, and of no other", () => {
  const notices = noticesOfApp(join(import.meta.dirname, "../../.."));
  for (const name of ["react", "react-dom", "@mantine/core", "uplot", "tslib"])
    assert.match(notices, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+, (?:MIT|0BSD)$`, "m"));
  assert.ok((notices.match(/Permission is hereby granted/g) ?? []).length > 20);
  assert.doesNotMatch(notices, /^(?:fastify|vite|typescript) \d/m);
});
