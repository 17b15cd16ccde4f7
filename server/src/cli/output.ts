/** A result of the service; its fields depend on the command. */
// biome-ignore lint/suspicious/noExplicitAny: results on the socket are JSON, distinguished by the command's name alone
export type Result = Record<string, any>;

/** Prints one JSON object, or lines of text. */
export function print<R extends object>(result: R, json: boolean | undefined, show: (result: R) => string[]): void {
  console.log(json ? JSON.stringify(result) : show(result).join("\n"));
}

/** Formats rows as lines of aligned columns; returns `empty` if there are none. */
export function columns(rows: string[][], empty: string): string[] {
  if (rows.length === 0) return [empty];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}

/** Formats a list below its column names; returns `empty` if it has no rows. */
export function table(head: readonly string[], rows: string[][], empty: string): string[] {
  return rows.length === 0 ? [empty] : columns([[...head], ...rows], empty);
}

/** Returns the `lines` of a page and, if it is not the whole list, how many of all `rows` it shows. */
export function pageLines(lines: string[], { items, total, totalIsAtLeast, skip }: Result, rows: string): string[] {
  if (items.length === total) return lines;
  const shown = `Shown: ${items.length} of ${totalIsAtLeast ? "at least " : ""}${total} ${rows}.`;
  const next = skip + items.length;
  const hasMore = items.length > 0 && next < total;
  return [...lines, hasMore ? `${shown} --skip ${next} shows the next ones.` : shown];
}

/** Returns `1 rule`, `2 rules`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Escapes control characters in `text`, so that data from a device cannot control the terminal. */
export function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
