/** A result of the service; its fields depend on the command. */
// biome-ignore lint/suspicious/noExplicitAny: results on the socket are JSON, distinguished by the command's name alone
export type Result = Record<string, any>;

/** Prints one JSON object, or lines of text. */
export function print<R extends object>(result: R, json: boolean | undefined, show: (result: R) => string[]): void {
  console.log(json ? JSON.stringify(result) : show(result).join("\n"));
}

/** Rows as lines of aligned columns; `empty` when there are no rows. */
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

/** A list below the names of its columns; `empty` when it has no rows. */
export function table(head: readonly string[], rows: string[][], empty: string): string[] {
  return rows.length === 0 ? [empty] : columns([[...head], ...rows], empty);
}

/** `lines` of a page, and how many of all `rows` they show where they do not show all. */
export function pageLines(lines: string[], { items, total, totalIsAtLeast, skip }: Result, rows: string): string[] {
  if (items.length === total) return lines;
  const shown = `Shown: ${items.length} of ${totalIsAtLeast ? "at least " : ""}${total} ${rows}.`;
  const next = skip + items.length;
  const hasMore = items.length > 0 && next < total;
  return [...lines, hasMore ? `${shown} --skip ${next} shows the next ones.` : shown];
}

/** `1 rule`, `2 rules`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** `text` with control characters escaped, so that what a device sent cannot control the terminal. */
export function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
