import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/mqtt-conformance.md"), "utf8");
const STATEMENTS = ["Statements of MQTT 3.1.1", "Statements of MQTT 5"];

/** The rows of the table under a heading, as cells. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(`## ${heading}\n`)[1]!.split("\n## ")[0]!;
  const lines = section.split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(1).map((line) => line.slice(2, -2).split(" | "));
}

/** The keys of the tests of a statement; none where a dash says why. */
function keysOf([, , tests]: string[]): string[] {
  return tests!.startsWith("– ") ? [] : tests!.split(", ");
}

test("every test that docs/mqtt-conformance.md names exists", () => {
  for (const [key, file, title] of rowsUnder("Tests")) {
    const source = readFileSync(join(root, file!.replaceAll("`", "")), "utf8");
    assert.ok(source.includes(`test("${title}"`), `${key}: ${title}`);
  }
});

test("every statement of docs/mqtt-conformance.md is listed once, with tests of its table, and each of these is used", () => {
  const keys = rowsUnder("Tests").map(([key]) => key!);
  assert.equal(new Set(keys).size, keys.length);
  const used = new Set<string>();
  for (const heading of STATEMENTS) {
    const rows = rowsUnder(heading);
    assert.equal(new Set(rows.map(([statement]) => statement)).size, rows.length, heading);
    for (const key of rows.flatMap(keysOf)) used.add(key);
  }
  assert.deepEqual([...used].sort(), keys.sort());
});

/** How many statements each table has, and the sections whose first one has another number than 1: the standards leave these out. */
const NUMBERED = [
  { heading: "Statements of MQTT 3.1.1", count: 141, first: {} },
  { heading: "Statements of MQTT 5", count: 251, first: { "2.2.1": 2 } },
];

test("the statements of each section of both versions are numbered without a gap", () => {
  for (const { heading, count, first } of NUMBERED) {
    const bySection = new Map<string, number[]>();
    const rows = rowsUnder(heading);
    for (const [statement] of rows) {
      const [section, number] = statement!.split("-") as [string, string];
      bySection.set(section, [...(bySection.get(section) ?? []), Number(number)]);
    }
    for (const [section, numbers] of bySection) {
      const from = (first as Record<string, number>)[section] ?? 1;
      assert.deepEqual(
        numbers,
        numbers.map((_, at) => from + at),
        `${heading}: ${section}`,
      );
    }
    assert.equal(rows.length, count, heading);
  }
});
