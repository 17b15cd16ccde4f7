import { filled } from "./queries.ts";

/** The most rows of a file (docs/limits.md). */
export const CSV_ROWS = 100_000;

/** The address of a whole list as a CSV file, with the filters and the order of its query. */
export function csvOf(path: string, query: object): string {
  const { skip: _, limit: __, ...filters } = filled(query) as Record<string, string | number>;
  const parameters = Object.entries(filters).map(([name, value]) => [name, String(value)]);
  return `${path}?${new URLSearchParams([...parameters, ["as", "csv"]])}`;
}
