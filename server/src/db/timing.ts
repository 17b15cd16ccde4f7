import type { KyselyConfig } from "kysely";

/** The part of a Kysely configuration that reports to `observe` the seconds each statement took. Nothing is printed. */
export function timing(observe: ((seconds: number) => void) | undefined): Pick<KyselyConfig, "log"> {
  return observe ? { log: ({ queryDurationMillis }) => observe(queryDurationMillis / 1000) } : {};
}
