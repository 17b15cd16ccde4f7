import type { KyselyConfig } from "kysely";

/**
 * Returns the part of a Kysely configuration that reports the duration of each statement in seconds to `observe`.
 * Nothing is printed.
 */
export function timing(observe: ((seconds: number) => void) | undefined): Pick<KyselyConfig, "log"> {
  return observe ? { log: ({ queryDurationMillis }) => observe(queryDurationMillis / 1000) } : {};
}
