import { MutationCache, QueryCache, QueryClient, type QueryKey } from "@tanstack/react-query";
import { isTemporary, Problem } from "./problem.ts";

/**
 * The key of everything that is read from an address of the API: the address first, so that a live event can name what it changes, then
 * what distinguishes this reading.
 */
export function keyOf(path: string, ...more: readonly unknown[]): QueryKey {
  return [path, ...more];
}

/** What was read stays for a while, and is read again when an event says that it has changed. */
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
