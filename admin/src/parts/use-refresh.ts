import { useQueryClient } from "@tanstack/react-query";

/** Reads again what was read from addresses that begin with one of `beginnings`: what a screen has changed itself. */
export function useRefresh(): (...beginnings: readonly string[]) => Promise<void> {
  const queries = useQueryClient();
  return (...beginnings) => {
    const isStale = (path: unknown) => typeof path === "string" && beginnings.some((each) => path.startsWith(each));
    return queries.invalidateQueries({ predicate: ({ queryKey }) => isStale(queryKey[0]) });
  };
}
