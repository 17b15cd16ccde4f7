import { type RawBuilder, sql } from "kysely";
import pg from "pg";
import { externalIdTaken } from "../lib/request-errors.ts";

/** The SQLSTATE of exceptions raised by `muster_refuse(code)`. */
const REFUSED = "MU001";

/**
 * Returns an SQL expression that aborts the whole statement with `code` when it is evaluated: for the branch of a
 * failed guard.
 */
export function refuse(code: string): RawBuilder<boolean> {
  return sql<boolean>`muster_refuse(${sql.lit(code)})`;
}

/** Returns the code with which {@link refuse} aborted a statement; `undefined` for any other error. */
export function refusalCode(error: unknown): string | undefined {
  const state = (error as { code?: unknown } | null)?.code;
  return state === REFUSED ? (error as Error).message : undefined;
}

/**
 * Returns the name of the unique index or constraint that `error` violates; `undefined` if it is not a unique
 * violation.
 */
export function violatedUnique(error: unknown): string | undefined {
  const failure = error as { code?: unknown; constraint?: unknown } | null;
  return failure?.code === "23505" && typeof failure.constraint === "string" ? failure.constraint : undefined;
}

/**
 * Runs a write that fails if another record has the same external id.
 *
 * @param index the unique index over the tenant and the external id
 * @throws MusterError already_exists
 */
export async function unlessTaken<T>(
  index: string,
  externalId: string | null | undefined,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (violatedUnique(error) === index) throw externalIdTaken(externalId);
    throw error;
  }
}

/** Reports whether `error` says that a referenced record no longer exists. */
export function violatesForeignKey(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "23503";
}

/** Reports whether `error` says that the statement cannot take one of its values: SQLSTATE class 22. */
export function isDataException(error: unknown): boolean {
  const state = (error as { code?: unknown } | null)?.code;
  return typeof state === "string" && /^22...$/.test(state);
}

/** Messages of `pg`, which has no code for a connection that broke or did not answer in time. */
const BROKEN =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered/;
/** SQLSTATEs: connection, resources, shutdown; statement timeout; read-only database. */
const UNAVAILABLE_STATE = /^(08...|53...|57P..|57014|25006)$/;
const UNREACHABLE = ["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EPIPE", "ENOTFOUND", "EHOSTUNREACH", "EAI_AGAIN"];

/** Reports whether `error` says that the database cannot write. */
export function isReadOnly(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "25006";
}

/** SQLSTATEs with which PostgreSQL ends a session: protocol, shutdown, termination, time limits of a session. */
const SESSION_ENDED = /^(08...|57P..|25P0[34])$/;

/**
 * Reports whether a connection can run nothing more after `error`. PostgreSQL first answers the statement, then closes
 * the connection.
 */
export function endsConnection(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  return error.severity === "FATAL" || error.severity === "PANIC" || SESSION_ENDED.test(error.code ?? "");
}

/** Reports whether `error` means that the database cannot be reached, cannot write, or did not answer in time. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === "string") return UNAVAILABLE_STATE.test(code) || UNREACHABLE.includes(code);
  return typeof message === "string" && BROKEN.test(message);
}
