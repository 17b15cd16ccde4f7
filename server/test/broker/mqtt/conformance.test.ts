import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../../../..");

/** Returns the rows of a table of `docs/`, as cells, without its header. */
function rowsOf(table: string): string[][] {
  const lines = readFileSync(join(root, "docs", table), "utf8")
    .trimEnd()
    .split("\n");
  return lines.slice(1).map((line) => line.split("\t"));
}

interface Statement {
  version: string;
  number: string;
  tests: string;
}

const tests = rowsOf("mqtt-tests.tsv").map(([key, file, title]) => ({ key: key!, file: file!, title: title! }));
const statements = rowsOf("mqtt-statements.tsv").map(
  ([version, number, , tests]): Statement => ({ version: version!, number: number!, tests: tests! }),
);

/** Returns the keys of a statement's tests; none if a dash gives the reason. */
function keysOf({ tests }: Statement): string[] {
  return tests.startsWith("– ") ? [] : tests.split(", ");
}

test("every test that docs/mqtt-tests.tsv names exists", () => {
  for (const { key, file, title } of tests) {
    const source = readFileSync(join(root, file), "utf8");
    assert.ok(source.includes(`test("${title}"`), `${key}: ${title}`);
  }
});

test("every statement of docs/mqtt-statements.tsv is listed once, with tests of docs/mqtt-tests.tsv, and each of these is used", () => {
  const keys = tests.map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(new Set(statements.map(({ version, number }) => `${version}: ${number}`)).size, statements.length);
  assert.deepEqual([...new Set(statements.flatMap(keysOf))].sort(), keys.sort());
});

/**
 * The number of statements of each version, and the sections that begin with another number than 1, which the standards
 * skip.
 */
const NUMBERED = [
  { version: "3.1.1", count: 141, first: {} },
  { version: "5", count: 251, first: { "2.2.1": 2 } },
];

test("the statements of each section of both versions are numbered without a gap", () => {
  for (const { version, count, first } of NUMBERED) {
    const ofVersion = statements.filter((each) => each.version === version);
    const bySection = new Map<string, number[]>();
    for (const { number: statement } of ofVersion) {
      const [section, number] = statement.split("-") as [string, string];
      bySection.set(section, [...(bySection.get(section) ?? []), Number(number)]);
    }
    for (const [section, numbers] of bySection) {
      const from = (first as Record<string, number>)[section] ?? 1;
      assert.deepEqual(
        numbers,
        numbers.map((_, at) => from + at),
        `${version}: ${section}`,
      );
    }
    assert.equal(ofVersion.length, count, version);
  }
});
