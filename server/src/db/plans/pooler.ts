import type pg from "pg";
import { useNoNames } from "../prepared-query.ts";

/** A setting that exists on connections that have taken ours: those of a pooler have not. */
const MARK = "muster.direct";

/**
 * What the connections of PgBouncer to PostgreSQL are to have, in place of the settings with which a direct connection begins. PgBouncer refuses
 * those, or drops them.
 */
const CONNECT_QUERY = "SET jit = off; SET enable_seqscan = off; SET statement_timeout = 2500";

const TAKES_NO_SETTINGS =
  "MUSTER_DATABASE_URL leads through a pooler in transaction mode (PgBouncer), where LISTEN, the settings of a connection and prepared statements do not last: set MUSTER_DATABASE_DIRECT_URL to the address of PostgreSQL itself";
const LACKS_SETTINGS = `PgBouncer's connections lack the settings of the service: add connect_query='${CONNECT_QUERY}' to its database`;

/** Settings with which a direct connection begins, for pg. @param settings as PostgreSQL's command line takes them */
export function ownSettings(settings: readonly string[], statementMs: number): pg.PoolConfig {
  return { statement_timeout: statementMs, options: [...settings, "-c", `${MARK}=on`].join(" ") };
}

/** Has the statements of the pool's connections work when each transaction is on another connection to PostgreSQL. */
export function throughPooler(pool: pg.Pool): void {
  pool.on("connect", (client) => useNoNames((client as unknown as { connection: object }).connection));
}

/** PgBouncer's refusal of a direct connection's settings, in our words; other errors as they are. */
export function ofPooler(error: unknown): unknown {
  const { message = "" } = error as Error;
  return message.includes("unsupported startup parameter") ? new Error(TAKES_NO_SETTINGS, { cause: error }) : error;
}

/** @throws Error where connections lack the settings that the service relies on */
export async function refuseWithoutSettings(pool: pg.Pool, { isPooled }: { isPooled: boolean }): Promise<void> {
  const { rows } = await pool.query<{ mark: string | null; jit: string; scans: string; limit: string }>(
    `SELECT current_setting('${MARK}', true) AS mark, current_setting('jit') AS jit, current_setting('enable_seqscan') AS scans,
            current_setting('statement_timeout') AS limit`,
  );
  const { mark, jit, scans, limit } = rows[0]!;
  if (!isPooled && mark !== "on") throw new Error(TAKES_NO_SETTINGS);
  if (isPooled && (jit !== "off" || scans !== "off" || limit === "0")) throw new Error(LACKS_SETTINGS);
}
