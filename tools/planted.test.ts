import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ruleChecks } from "./rule-checks.ts";
import { checkSizes } from "./sizes/sizes.ts";

const planted = join(import.meta.dirname, "fixtures", "planted");

/** Limits small enough for fixtures. */
const LIMITS = { fileLines: 60, testFileLines: 60, functionLines: 8, folderFiles: 5 };
/** Violations of folders, which have no line that could announce them. */
const FOLDERS = ["server/src/devices:1 folders"];

/** Returns the violations that fixtures announce: `// caught: rule, rule` at the end of each line that breaks one. */
function announced(): string[] {
  const lines = globSync("**/*.{ts,tsx,md}", { cwd: planted }).flatMap((file) =>
    readFileSync(join(planted, file), "utf8")
      .split("\n")
      .flatMap((line, index) => rulesIn(line).map((rule) => `${file}:${index + 1} ${rule}`)),
  );
  return [...lines, ...FOLDERS];
}

function rulesIn(line: string): string[] {
  return /\/\/ caught: ([\w-]+(?:, [\w-]+)*)/.exec(line)?.[1]?.split(", ") ?? [];
}

test("every planted violation is caught on its line, and nothing else", () => {
  const violations = [
    ...ruleChecks.filter(({ name }) => name !== "sizes").flatMap(({ check }) => check(planted)),
    ...checkSizes(planted, LIMITS),
  ];
  const caught = violations.map((each) => `${each.file}:${each.line} ${each.rule}`);
  assert.deepEqual(caught.sort(), announced().sort());
});

test("the fixtures break every rule at least once", () => {
  const broken = new Set(announced().map((each) => each.split(" ")[1]!));
  assert.deepEqual(
    [...broken].sort(),
    // biome-ignore format: one list
    ["chance", "citation", "clause", "cycle", "direction", "environment", "facade", "folder", "folders", "leaf", "opaque", "owner", "package", "phrases", "rights", "size", "sql", "store", "test-code", "time", "use-case", "words", "workspace"],
  );
});
