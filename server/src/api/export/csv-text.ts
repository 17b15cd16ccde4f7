import type { CsvColumn } from "./csv-columns.ts";

/** The characters that make a spreadsheet read a cell as a formula; a carriage return starts the next cell. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Includes semicolons and tabs: in some languages spreadsheets read them as separators, and start a new cell after
 * them.
 */
const SPECIAL = /[",;\t\r\n]/;

/** Returns the line of titles. */
export function titleLine(columns: readonly CsvColumn[]): string {
  return csvLine(columns.map(({ title }) => title));
}

/** Returns the line of a record. */
export function recordLine(columns: readonly CsvColumn[], record: unknown): string {
  return `${columns.map(({ path }) => recordCell(valueAt(record, path))).join(",")}\r\n`;
}

/** A number is not a formula, even if it is negative. */
function recordCell(value: unknown): string {
  return typeof value === "number" ? String(value) : csvCell(cellOf(value));
}

/** Returns the last line of a truncated file: its first cell says so. */
export function cutLine(columns: readonly CsvColumn[], rows: number): string {
  const text = `Cut after ${rows.toLocaleString("en")} rows: narrow the list by its filters`;
  return csvLine([text, ...columns.slice(1).map(() => "")]);
}

/**
 * Formats a line according to RFC 4180. A cell that a spreadsheet would run as a formula gets an apostrophe in front.
 */
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

/**
 * Formats a value: absent and null are empty, instants are in UTC, several texts are separated by `; `, and any other
 * composite value is JSON.
 */
function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "object") return String(value);
  const isTexts = Array.isArray(value) && value.every((each) => typeof each === "string");
  return isTexts ? value.join("; ") : JSON.stringify(value);
}
