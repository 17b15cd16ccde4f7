import { parseArgs } from "node:util";

/** `workers` is PostgreSQL with a service of four worker processes. */
export const DATABASES = ["embedded", "postgres", "workers"] as const;
export type DatabaseKind = (typeof DATABASES)[number];

export interface Options {
  readonly databases: readonly DatabaseKind[];
  /** All attacks on one server, each for a few seconds, with generous floors: for CI. */
  readonly short: boolean;
  /** Parts of names; none selects every attack. */
  readonly words: readonly string[];
}

/** @throws Error for an unknown option or database */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { database: { type: "string" }, short: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const { database, short } = values;
  if (database !== undefined && !isDatabase(database))
    throw new Error(`Unknown database ${database}. Valid databases: ${DATABASES.join(", ")}`);
  return { databases: database === undefined ? DATABASES : [database], short, words: positionals };
}

function isDatabase(text: string): text is DatabaseKind {
  return (DATABASES as readonly string[]).includes(text);
}
