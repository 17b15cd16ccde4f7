import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog, Column, Table } from "./catalog.ts";
import { rowTypes } from "./row-types.ts";

function column(name: string, type: string, more: Partial<Column> = {}): Column {
  return { name, type, notNull: true, default: null, generated: false, identity: null, collation: null, ...more };
}

function table(name: string, columns: Column[], checks: string[] = []): Table {
  const constraints = checks.map((definition, index) => ({ name: `check${index}`, definition }));
  return {
    name,
    columns,
    constraints,
    indexes: [],
    triggers: [],
    options: [],
    unlogged: false,
    partitionKey: null,
    partitions: [],
  };
}

function catalog(tables: Table[], views: Catalog["views"] = []): Catalog {
  return { tables, views, sequences: [], functions: [] };
}

/** Returns the fields of the interface `name`. */
function fieldsOf(name: string, of: Catalog): string[] {
  const body = new RegExp(`export interface ${name} \\{\n([^}]*)\\}`).exec(rowTypes(of))![1]!;
  return body.split("\n").flatMap((line) => line.trim() || []);
}

test("the type of a column shows whether it may be null, has a default or is generated", () => {
  const jobs = table("print_jobs", [
    column("seq", "bigint", { identity: "always" }),
    column("at", "timestamp with time zone", { notNull: false }),
    column("pages", "integer", { default: "1" }),
    column("page_ids", "uuid[]", { default: "page_ids(pages)", generated: true }),
    column("names", "text[]"),
  ]);
  assert.deepEqual(fieldsOf("PrintJobsTable", catalog([jobs])), [
    "seq: GeneratedAlways<string>;",
    "at: Date | null;",
    "pages: Generated<number>;",
    "page_ids: GeneratedAlways<string[]>;",
    "names: string[];",
  ]);
});

test("a check of one column against a list becomes a union; a check of two columns does not", () => {
  const checks = [
    "CHECK ((state = ANY (ARRAY['due'::text, 'late'::text])))",
    "CHECK ((kind = 'shared_key'::text))",
    "CHECK (((note = 'x'::text) = (state = 'due'::text)))",
  ];
  const columns = [column("state", "text"), column("kind", "text"), column("note", "text")];
  assert.deepEqual(fieldsOf("PagesTable", catalog([table("pages", columns, checks)])), [
    'state: "due" | "late";',
    'kind: "shared_key";',
    "note: string;",
  ]);
});

test("a view's column has its table's type, but may be null behind an outer join", () => {
  const files = table("files", [column("id", "uuid"), column("size", "bigint", { default: "0" })]);
  const view = (definition: string) => ({
    name: "shared_files",
    columns: files.columns.map((each) => ({ ...each, notNull: false, default: null })),
    definition,
    reads: ["files.id", "files.size"],
  });
  const inner = catalog([files], [view("SELECT id, size FROM files")]);
  assert.deepEqual(fieldsOf("SharedFilesView", inner), ["id: string;", "size: string;"]);
  const outer = catalog([files], [view("SELECT f.id, f.size FROM a LEFT JOIN files f ON true")]);
  assert.deepEqual(fieldsOf("SharedFilesView", outer), ["id: string | null;", "size: string | null;"]);
});

test("a type that the catalog cannot express must be in the table of overrides", () => {
  assert.throws(
    () => rowTypes(catalog([table("files", [column("tags", "jsonb")])])),
    /files\.tags is jsonb.*overrides/,
  );
});
