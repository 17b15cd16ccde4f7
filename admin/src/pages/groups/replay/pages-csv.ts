import type { Replay } from "../../../api/people/on-call.ts";

/** A page of a replay with the name of its person; `null` for a channel, and if nobody was reached. */
export type NamedPage = Replay["pages"][number] & { person: string | null };

const TITLES = [
  "at",
  "result",
  "person",
  "deviceId",
  "deviceName",
  "severity",
  "anomalyId",
  "openedAt",
  "afterMinutes",
];

/** Returns pages as CSV (RFC 4180), with a line of titles. */
export function pagesAsCsv(pages: readonly NamedPage[]): string {
  const rows = pages.map((page) => TITLES.map((title) => fieldOf(page[title as keyof NamedPage])));
  return [TITLES, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** A spreadsheet would compute a text that begins like a formula, so it gets an apostrophe. */
function fieldOf(value: NamedPage[keyof NamedPage]): string {
  const text = String(value ?? "");
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
