import { existsSync } from "node:fs";
import { join } from "node:path";
import { computedNames, isSharedView, owners, readers } from "../boundaries/owners.ts";
import { placeOf, SERVER, serverFiles } from "../source/files.ts";
import { parse } from "../source/syntax.ts";
import { type Finding, inOrder, type Violation } from "../source/violation.ts";
import { createdTables } from "./schema-tables.ts";
import { type TableUse, tableUses } from "./sql-in-source.ts";

const TABLE = "tools/boundaries/owners.ts";
const MIGRATIONS = `${SERVER}db/migrations/`;

const ownerOf = new Map(Object.entries(owners).flatMap(([owner, tables]) => tables.map((table) => [table, owner])));

/**
 * Compares the SQL of `server/src` under `root` with the owner table: only its owner's folder reads and writes a table.
 * Migrations are compared too: each table that they create needs an owner, and each view a name that all may read.
 */
export function checkOwners(root: string): Violation[] {
  const files = serverFiles(root);
  const inUse = files
    .filter((file) => !file.startsWith(MIGRATIONS))
    .flatMap((file) => usesIn(file, tableUses(parse(join(root, file)))));
  return inOrder([...inUse, ...schema(root, files), ...unknownTables(root, files)]);
}

function usesIn(file: string, uses: TableUse[]): Violation[] {
  const place = placeOf(file);
  return uses.flatMap((use) => {
    const finding = wrongUse(place, use);
    return finding ? [{ file, ...finding }] : [];
  });
}

function wrongUse(place: string, { name, access, line }: TableUse): Finding | undefined {
  const found = (subject: string, message: string) => ({ line, rule: "owner", subject, message });
  if (name === undefined) {
    return computedNames.includes(place)
      ? undefined
      : found("(computed)", `only ${computedNames.join(", ")}/ may compute the name of a table`);
  }
  const table = partitioned(name);
  const owner = ownerOf.get(table);
  if (owner === undefined || owner === place) return undefined;
  if (access === "read") {
    if (readers.includes(place)) return undefined;
    return found(table, `${table} belongs to ${owner}/: read it through its facade or a view shared_${table}`);
  }
  return found(table, `${table} belongs to ${owner}/: write it through its facade`);
}

/** Matches partitions, which carry their table's name and numbers: telemetry_90, telemetry_hour_90_202607. */
function partitioned(name: string): string {
  return name.replace(/(_\d+)+$/, "");
}

function schema(root: string, files: string[]): Violation[] {
  return tablesOfMigrations(root, files).flatMap(({ name, kind, file, line }) => {
    if (kind === "table" ? ownerOf.has(name) : isSharedView(name)) return [];
    const message =
      kind === "table"
        ? `table ${name} has no owner in tools/boundaries/owners.ts`
        : `view ${name}: a view is called shared_<table> or device_viewers, as every feature may read it`;
    return [{ file, line, rule: "owner", subject: name, message }];
  });
}

function tablesOfMigrations(root: string, files: string[]) {
  const inDb = files.filter((file) => file.startsWith(`${SERVER}db/`));
  return createdTables(inDb, (file) => join(root, file));
}

/** Returns the tables of the owner table that no migration under `root` creates. */
function unknownTables(root: string, files: string[]): Violation[] {
  if (!existsSync(join(root, TABLE))) return [];
  const names = new Set(tablesOfMigrations(root, files).map(({ name }) => name));
  return [...ownerOf.keys()]
    .filter((table) => !names.has(table))
    .map((table) => {
      const message = `no migration creates the table ${table}`;
      return { file: TABLE, line: 1, rule: "owner", message };
    });
}
