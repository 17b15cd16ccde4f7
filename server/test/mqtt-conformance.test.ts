import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/mqtt-conformance.md"), "utf8");

/** The rows of the table under a heading, as cells. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(`## ${heading}\n`)[1]!.split("\n## ")[0]!;
  const lines = section.split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(1).map((line) => line.slice(2, -2).split(" | "));
}

test("every test that docs/mqtt-conformance.md names exists", () => {
  for (const [key, file, title] of rowsUnder("Tests")) {
    const source = readFileSync(join(root, file!.replaceAll("`", "")), "utf8");
    assert.ok(source.includes(`test("${title}"`), `${key}: ${title}`);
  }
});

test("every statement of docs/mqtt-conformance.md is listed once, with tests of its table, and each of these is used", () => {
  const keys = new Set(rowsUnder("Tests").map(([key]) => key!));
  const statements = rowsUnder("Statements").map(([statement]) => statement);
  assert.equal(new Set(statements).size, statements.length);
  const used = rowsUnder("Statements").flatMap(([, , tests]) => tests!.split(", "));
  assert.deepEqual(
    [...new Set(used)].filter((key) => !keys.has(key)),
    [],
  );
  assert.deepEqual(
    [...keys].filter((key) => !used.includes(key)),
    [],
  );
});
