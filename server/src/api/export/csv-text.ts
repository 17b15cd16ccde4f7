import type { CsvColumn } from "./csv-columns.ts";

/** What a spreadsheet takes for a formula when a cell begins with it; a carriage return begins the cell after itself. */
const FORMULA = /^[=+\-@\t\r]/;

/** Semicolons and tabs, too: spreadsheets take them for separators in some languages, and what follows for the beginning of a cell. */
const SPECIAL = /[",;\t\r\n]/;

/** The line of titles. */
export function titleLine(columns: readonly CsvColumn[]): string {
  return csvLine(columns.map(({ title }) => title));
}

/** The line of a record. */
export function recordLine(columns: readonly CsvColumn[], record: unknown): string {
  return csvLine(columns.map(({ path }) => cellOf(valueAt(record, path))));
}

/** The last line of a file that does not have all records: its first cell says so. */
export function cutLine(columns: readonly CsvColumn[], rows: number): string {
  const text = `Cut after ${rows.toLocaleString("en")} rows: narrow the list by its filters`;
  return csvLine([text, ...columns.slice(1).map(() => "")]);
}

/** A line as RFC 4180 writes it. A cell that a spreadsheet would run as a formula begins with an apostrophe. */
function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], record);
}

/** Absent and null are empty, instants are in UTC, several texts are separated by `; `, anything else that has parts is JSON. */
function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "object") return String(value);
  const isTexts = Array.isArray(value) && value.every((each) => typeof each === "string");
  return isTexts ? value.join("; ") : JSON.stringify(value);
}
