import { useQueryClient } from "@tanstack/react-query";

/** Returns a function that reads again all answers from addresses with one of the `beginnings`. */
export function useRefresh(): (...beginnings: readonly string[]) => Promise<void> {
  const queries = useQueryClient();
  return (...beginnings) => {
    const isStale = (path: unknown) => typeof path === "string" && beginnings.some((each) => path.startsWith(each));
    return queries.invalidateQueries({ predicate: ({ queryKey }) => isStale(queryKey[0]) });
  };
}
