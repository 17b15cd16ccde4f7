import type pg from "pg";
import { useNoNames } from "../prepared-query.ts";

/** A setting that exists on connections that accepted ours; a pooler's connections do not have it. */
const MARK = "muster.direct";

/**
 * The settings that PgBouncer's connections to PostgreSQL need, in place of the startup settings of a direct
 * connection, which PgBouncer refuses or drops.
 */
const CONNECT_QUERY = "SET jit = off; SET enable_seqscan = off; SET statement_timeout = 2500";

const TAKES_NO_SETTINGS =
  "MUSTER_DATABASE_URL leads through a pooler in transaction mode (PgBouncer), where LISTEN, connection settings and prepared statements do not persist: set MUSTER_DATABASE_DIRECT_URL to the address of PostgreSQL itself";
const LACKS_SETTINGS = `PgBouncer's connections lack the settings of the service: add connect_query='${CONNECT_QUERY}' to its database`;

/** Returns the startup settings of a direct connection, for pg. @param settings in PostgreSQL's command line format */
export function ownSettings(settings: readonly string[], statementMs: number): pg.PoolConfig {
  return { statement_timeout: statementMs, options: [...settings, "-c", `${MARK}=on`].join(" ") };
}

/**
 * Makes statements on the pool's connections work even though each transaction may use another connection to
 * PostgreSQL.
 */
export function throughPooler(pool: pg.Pool): void {
  pool.on("connect", (client) => useNoNames((client as unknown as { connection: object }).connection));
}

/** Rewords PgBouncer's refusal of a direct connection's settings; returns other errors unchanged. */
export function ofPooler(error: unknown): unknown {
  const { message = "" } = error as Error;
  return message.includes("unsupported startup parameter") ? new Error(TAKES_NO_SETTINGS, { cause: error }) : error;
}

/** Checks the settings of a pool's connections. @throws Error if they lack those that the service relies on */
export async function refuseWithoutSettings(pool: pg.Pool, { isPooled }: { isPooled: boolean }): Promise<void> {
  const { rows } = await pool.query<{ mark: string | null; jit: string; scans: string; limit: string }>(
    `SELECT current_setting('${MARK}', true) AS mark, current_setting('jit') AS jit, current_setting('enable_seqscan') AS scans,
            current_setting('statement_timeout') AS limit`,
  );
  const { mark, jit, scans, limit } = rows[0]!;
  if (!isPooled && mark !== "on") throw new Error(TAKES_NO_SETTINGS);
  if (isPooled && (jit !== "off" || scans !== "off" || limit === "0")) throw new Error(LACKS_SETTINGS);
}
