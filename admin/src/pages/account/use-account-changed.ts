import { useQueryClient } from "@tanstack/react-query";

/** Reads everything again after a change of the own account: what the user may do can change with it. */
export function useAccountChanged(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries();
}
