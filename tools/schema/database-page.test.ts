import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const root = dirname(dirname(import.meta.dirname));
const schema = readFileSync(join(root, "server/src/db/schema.sql"), "utf8");
const page = readFileSync(join(root, "docs/database.md"), "utf8");

/** Returns the rows of a table of `docs/`, as cells, without its header. */
function rowsOf(table: string): string[][] {
  const lines = readFileSync(join(root, "docs", table), "utf8")
    .trimEnd()
    .split("\n");
  return lines.slice(1).map((line) => line.split("\t"));
}

test("docs/database-triggers.tsv names each trigger, with its table and a reason", () => {
  const triggers = [...schema.matchAll(/^CREATE (?:CONSTRAINT )?TRIGGER (\w+) .*? ON (\w+)/gm)];
  assert.ok(triggers.length > 0);
  assert.deepEqual(
    rowsOf("database-triggers.tsv").map(([name, on]) => `${name} on ${on}`),
    triggers.map(([, name, on]) => `${name} on ${on}`).sort(),
  );
});

/** Triggers with effects beyond their table that no statement of the product fires. */
const UNFIRED: Readonly<Record<string, string>> = {
  devices_seen_from_the_start: "only tests add a device that was already seen",
};

test("docs/database-triggers.tsv says who fires each trigger that does more than count a list or refuse a change", () => {
  const sources = globSync("server/src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] }).map((file) =>
    readFileSync(join(root, file), "utf8"),
  );
  const known = new Set(
    [...schema.matchAll(/^CREATE (?:FUNCTION|(?:CONSTRAINT )?TRIGGER) (\w+)/gm)].map(([, name]) => name),
  );
  for (const [trigger, , kind, reason, firedBy] of rowsOf("database-triggers.tsv")) {
    const isListed = /count/i.test(reason!) && /_(listed|unlisted|moved)$/.test(trigger!);
    const hasEffects = (kind === "bookkeeping" || kind === "notify") && !isListed;
    if (firedBy === "-") {
      assert.ok(!hasEffects || UNFIRED[trigger!], `${trigger}: name the functions whose statements fire it`);
      continue;
    }
    for (const name of firedBy!.split(", ").filter((each) => !known.has(each))) {
      const declared = new RegExp(
        String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\n(?:export )?(?:async )?(?:function|const) ${name}\b`,
        "g",
      );
      const docs = sources.flatMap((source) => [...source.matchAll(declared)].map(([, doc]) => doc!));
      assert.ok(
        docs.some((doc) => doc.includes(`\`${trigger}\``)),
        `the doc comment of ${name} does not name ${trigger}`,
      );
    }
  }
});

test("docs/database-functions.tsv names each function, with a reason", () => {
  const functions = [...schema.matchAll(/^CREATE FUNCTION (\w+)/gm)].map(([, name]) => name);
  assert.ok(functions.length > 0);
  assert.deepEqual(
    rowsOf("database-functions.tsv").map(([name]) => name),
    functions,
  );
});

test("every trigger and function states its kind, one of docs/database.md, and its reason", () => {
  for (const [name, , kind, reason] of [...rowsOf("database-triggers.tsv"), ...rowsOf("database-functions.tsv")]) {
    assert.match(page, new RegExp(`^\\| ${kind} \\|`, "m"), `${name}: ${kind}`);
    assert.ok(reason && reason.length > 10, name);
  }
});
