import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { owners } from "../boundaries/owners.ts";

const root = dirname(dirname(import.meta.dirname));
const schema = readFileSync(join(root, "server/src/db/schema.sql"), "utf8");
const page = readFileSync(join(root, "docs/database.md"), "utf8");

/** The cells of the last table under a heading of docs/database.md, without backticks. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^#+ /m).find((each) => each.startsWith(`${heading}\n`)) ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) =>
    line
      .split("|")
      .map((cell) => cell.trim().replaceAll("`", ""))
      .slice(1, -1),
  );
}

test("docs/database.md names each trigger, with its table and a reason", () => {
  const triggers = [...schema.matchAll(/^CREATE (?:CONSTRAINT )?TRIGGER (\w+) .*? ON (\w+)/gm)];
  assert.ok(triggers.length > 0);
  assert.deepEqual(
    rowsUnder("Triggers").map(([name, on]) => `${name} on ${on}`),
    triggers.map(([, name, on]) => `${name} on ${on}`).sort(),
  );
});

test("docs/database.md names each function, with a reason", () => {
  const functions = [...schema.matchAll(/^CREATE FUNCTION (\w+)/gm)].map(([, name]) => name);
  assert.ok(functions.length > 0);
  assert.deepEqual(
    rowsUnder("Functions").map(([name]) => name),
    functions,
  );
});

test("every trigger and function says its kind and its reason", () => {
  for (const [name, , kind, reason] of [...rowsUnder("Triggers"), ...rowsUnder("Functions")]) {
    assert.match(page, new RegExp(`^\\| ${kind} \\|`, "m"), `${name}: ${kind}`);
    assert.ok(reason && reason.length > 10, name);
  }
});

test("docs/database.md has the owners of tools/boundaries/owners.ts", () => {
  assert.deepEqual(
    rowsUnder("Owners"),
    Object.entries(owners).map(([owner, tables]) => [`${owner}/`, tables.join(", ")]),
  );
});
