/** A column of numbers by time, in milliseconds. */
export interface CsvColumn {
  title: string;
  values: ReadonlyMap<number, number>;
}

/** Returns the columns as CSV (RFC 4180): one line for each time, oldest first, in UTC. */
export function csvText(columns: readonly CsvColumn[]): string {
  const times = [...new Set(columns.flatMap(({ values }) => [...values.keys()]))].sort((one, other) => one - other);
  const lines = times.map((at) => [new Date(at).toISOString(), ...columns.map(({ values }) => values.get(at) ?? "")]);
  const head = ["time", ...columns.map(({ title }) => cellOf(title))];
  return [head, ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** A spreadsheet takes a text with one of these beginnings as a formula; devices choose the names of metrics. */
const FORMULA = /^[=+\-@\t\r]/;

function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
