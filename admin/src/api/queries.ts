import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isTemporary, Problem } from "./problem.ts";

/** The fields of a query that have a value. */
export type Filled<Query> = { [Name in keyof Query]: Exclude<Query[Name], undefined> };

/** Drops the fields without a value: a filter that is not set is no parameter. */
export function filled<Query extends object>(query: Query): Filled<Query> {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(set) as Filled<Query>;
}

/** The maximum number of rows in a file (docs/limits.tsv). */
export const CSV_ROWS = 100_000;

/** Returns the address of a whole list as a CSV file, with the filters and the order of its query. */
export function csvOf(path: string, query: object): string {
  const { skip: _, limit: __, ...filters } = filled(query) as Record<string, string | number>;
  const parameters = Object.entries(filters).map(([name, value]) => [name, String(value)]);
  return `${path}?${new URLSearchParams([...parameters, ["as", "csv"]])}`;
}

/** Creates the cache of answers, which are read again when an event reports a change. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache(),
    mutationCache: new MutationCache(),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 5 * 60_000,
        retry: (failures, error) => failures < 2 && error instanceof Problem && isTemporary(error),
        retryDelay: (failures, error) => retryDelay(failures, error as Problem),
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  });
}

function retryDelay(failures: number, { retryAfterSeconds }: Problem): number {
  return (retryAfterSeconds ?? 2 ** failures) * 1000;
}
