import { type Node, parse, stringOf, visit } from "../source/syntax.ts";

export interface CreatedTable {
  name: string;
  kind: "table" | "view";
  file: string;
  line: number;
}

const STATEMENTS = new RegExp(
  [
    /CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(?<table>\w+)(?<partition> PARTITION OF)?/,
    /CREATE (?:OR REPLACE )?VIEW (?<view>\w+)/,
    /DROP (?:TABLE|VIEW) (?:IF EXISTS )?(?<dropped>\w+)/,
    /ALTER TABLE (?<from>\w+) RENAME TO (?<to>\w+)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/**
 * Returns the tables and views that exist after all statements in the strings of `files`, in this order. Partitions are
 * omitted because they belong to their table.
 * @param read returns the path to parse for a file
 */
export function createdTables(files: readonly string[], read: (file: string) => string): CreatedTable[] {
  const there = new Map<string, CreatedTable>();
  for (const file of files) {
    const source = parse(read(file));
    visit(source.program, (node) => {
      // The text of a literal begins after its quote.
      for (const { groups, index } of literalText(node).matchAll(STATEMENTS)) {
        apply(there, groups!, { file, line: source.lineOf(node.start + 1 + index) });
      }
    });
  }
  return [...there.values()];
}

function apply(
  there: Map<string, CreatedTable>,
  { table, partition, view, dropped, from, to }: Record<string, string | undefined>,
  at: { file: string; line: number },
): void {
  if (table !== undefined && partition === undefined) there.set(table, { name: table, kind: "table", ...at });
  if (view !== undefined) there.set(view, { name: view, kind: "view", ...at });
  for (const gone of [dropped, from]) if (gone !== undefined) there.delete(gone);
  if (to !== undefined) there.set(to, { name: to, kind: "table", ...at });
}

function literalText(node: Node): string {
  if (node.type !== "TemplateElement") return stringOf(node) ?? "";
  return (node.value as { raw: string }).raw;
}
