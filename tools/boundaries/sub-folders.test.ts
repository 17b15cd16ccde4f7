import assert from "node:assert/strict";
import { test } from "node:test";
import { findFolderCycles } from "./sub-folders.ts";

const edges = (...pairs: [string, string][]) => pairs.map(([from, to], line) => ({ from, to, line }));

test("sub-folders that import each other are found, with an import of the step that has the fewest", () => {
  const found = findFolderCycles(
    "src/",
    edges(
      ["src/a/x/one.ts", "src/a/y/two.ts"],
      ["src/a/x/three.ts", "src/a/y/two.ts"],
      ["src/a/y/deep/four.ts", "src/a/x/five.ts"],
    ),
  );
  assert.deepEqual(found, [
    {
      walk: ["src/a/x", "src/a/y", "src/a/x"],
      upward: { from: "src/a/y/deep/four.ts", to: "src/a/x/five.ts", line: 2 },
    },
  ]);
});

test("files directly in a folder belong to no sub-folder, and imports outside of the home do not count", () => {
  const found = findFolderCycles(
    "src/",
    edges(
      ["src/a/x/one.ts", "src/a/deps.ts"],
      ["src/a/deps.ts", "src/a/x/two.ts"],
      ["src/a/x/one.ts", "src/a/x/two.ts"],
      ["src/a/x/one.ts", "test/b.ts"],
      ["test/b.ts", "src/a/x/one.ts"],
    ),
  );
  assert.deepEqual(found, []);
});
