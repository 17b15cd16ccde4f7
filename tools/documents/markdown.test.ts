import assert from "node:assert/strict";
import { test } from "node:test";
import { anchorsOf, linksOf } from "./markdown.ts";

test("links are found outside of code, with their lines", () => {
  const text = "[a](one) and ![b](two.png)\n`[c](three)`\n```sh\n[d](four)\n```\n[`e`\nf](five#x)\n";
  assert.deepEqual(linksOf(text), [
    { target: "one", line: 1 },
    { target: "two.png", line: 1 },
    { target: "five#x", line: 7 },
  ]);
});

test("anchors are the headings as GitHub slugs, numbered if they repeat", () => {
  const text = "# PostgreSQL: a `role`\n\n## A [link](x)\n\n## Twice\n## Twice\n```sh\n# a comment\n```\n";
  assert.deepEqual([...anchorsOf(text)], ["postgresql-a-role", "a-link", "twice", "twice-1"]);
});
