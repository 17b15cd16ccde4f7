import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkBoundaries } from "./boundaries/boundaries.ts";
import { table } from "./boundaries/table.ts";
import { checkOwners } from "./ownership/ownership.ts";
import { checkUseCases } from "./use-cases/use-cases.ts";

const planted = join(import.meta.dirname, "fixtures", "planted");

/** What the fixtures say of themselves: `// caught: rule, rule` at the end of each line that breaks one. */
function announced(): string[] {
  return globSync("**/*.ts", { cwd: planted }).flatMap((file) =>
    readFileSync(join(planted, file), "utf8")
      .split("\n")
      .flatMap((line, index) => rulesIn(line).map((rule) => `${file}:${index + 1} ${rule}`)),
  );
}

function rulesIn(line: string): string[] {
  return /\/\/ caught: ([\w-]+(?:, [\w-]+)*)/.exec(line)?.[1]?.split(", ") ?? [];
}

test("every planted violation is caught on its line, and nothing beside it", () => {
  const violations = [...checkBoundaries(planted, table), ...checkOwners(planted), ...checkUseCases(planted)];
  const caught = violations.map((each) => `${each.file}:${each.line} ${each.rule}`);
  assert.deepEqual(caught.sort(), announced().sort());
});

test("the fixtures break every rule at least once", () => {
  const broken = new Set(announced().map((each) => each.split(" ")[1]!));
  assert.deepEqual(
    [...broken].sort(),
    // biome-ignore format: one list
    ["chance", "cycle", "direction", "environment", "facade", "folder", "leaf", "opaque", "owner", "package", "rights", "sql", "store", "test-code", "time", "use-case", "workspace"],
  );
});

test("no place in the table imports upwards: a row names only places that have a row", () => {
  for (const [place, allowed] of Object.entries(table.imports)) {
    for (const other of allowed) {
      if (other === "*") continue;
      assert.ok(table.imports[other], `${place} → ${other}: no such row`);
      if (other !== "main")
        assert.ok(!table.imports[other].includes(place), `${place} and ${other} may import each other`);
    }
  }
});
