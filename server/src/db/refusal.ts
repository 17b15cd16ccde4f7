import { type RawBuilder, sql } from "kysely";

/** SQLSTATE of an exception raised by `muster_refuse(code)` (migration 0001). */
const REFUSED = "MU001";

/** An SQL expression that aborts the whole statement with `code`, to be used in the branch that must not be reached. */
export function refuse(code: string): RawBuilder<boolean> {
  return sql<boolean>`muster_refuse(${code})`;
}

/** The code a statement was aborted with by {@link refuse}; `undefined` for any other error. */
export function refusalCode(error: unknown): string | undefined {
  const state = (error as { code?: unknown } | null)?.code;
  return state === REFUSED ? (error as Error).message : undefined;
}

/** The name of the unique index or constraint that `error` violates; `undefined` when it is no unique violation. */
export function violatedUnique(error: unknown): string | undefined {
  const failure = error as { code?: unknown; constraint?: unknown } | null;
  return failure?.code === "23505" && typeof failure.constraint === "string" ? failure.constraint : undefined;
}

/** SQLSTATE classes and Node codes that mean "the database cannot be reached or cannot write now". */
export function isUnavailable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string")
    return (
      (error as Error | null)?.message?.includes("Connection terminated") === true ||
      (error as Error | null)?.message?.includes("timeout exceeded when trying to connect") === true
    );
  return (
    /^(08|53|57P)/.test(code) ||
    ["25006", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EPIPE", "ENOTFOUND"].includes(code)
  );
}
