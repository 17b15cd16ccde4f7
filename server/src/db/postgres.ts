import pg from "pg";
import { DEFAULT_POOLS, type Pools } from "../lib/limits/pools.ts";
import type { Logger } from "../lib/logger.ts";
import type { PoolUse } from "../lib/metrics/database-metrics.ts";
import { kyselyOn } from "./kysely-on-pool.ts";
import { CONNECT_SETTINGS, SESSION_SETTINGS } from "./plans/planner.ts";
import { ofPooler, ownSettings, refuseWithoutSettings, throughPooler } from "./plans/pooler.ts";
import { analyzeGrown } from "./plans/statistics.ts";
import { createListener } from "./postgres-listener.ts";
import type { Database, TimeLimits } from "./types.ts";

const OLDEST_MAJOR = 15;
/**
 * A request may wait for a connection and then for its statement, and must be answered within 5 s, so the sum of the
 * two limits is smaller.
 */
const REQUEST_LIMITS: TimeLimits = { connectMs: 1_500, statementMs: 2_500 };
/**
 * The time by which the client's timeout of a statement exceeds the server's. The client has its own because a hung
 * server does not apply any. It is longer, so that the server's error normally arrives first, even in a busy process.
 */
const LATE_ANSWER_MS = 750;

export interface PostgresOptions {
  logger: Logger;
  observe?: ((seconds: number) => void) | undefined;
  timeLimits?: TimeLimits | undefined;
  pools?: Pools | undefined;
  /** The address without the pooler, if `url` leads through one in transaction mode (PgBouncer). */
  directUrl?: string | undefined;
  /** The setting that contains the address, for messages. */
  setting?: AddressSetting | undefined;
}

type AddressSetting = "MUSTER_DATABASE_URL" | "MUSTER_DATABASE_DIRECT_URL" | "MUSTER_FORMER_DATABASE_URL";

/** Opens a PostgreSQL server of version 15 or later. @throws Error naming the setting if the address cannot be used */
export async function openPostgres(
  url: string,
  {
    logger,
    observe,
    timeLimits: limits = REQUEST_LIMITS,
    pools = DEFAULT_POOLS,
    directUrl,
    setting = "MUSTER_DATABASE_URL",
  }: PostgresOptions,
): Promise<Database> {
  const kind = { limits, isPooled: directUrl !== undefined };
  const main = createPool(url, pools.main, logger, kind, []);
  const ingest = createPool(url, pools.ingest, logger, kind, []);
  // A connect does not wait for the disk: the processes rewrite whatever a crash of PostgreSQL loses
  // (docs/decisions/0026-complete-nodes.md).
  const connects = createPool(url, pools.connects, logger, kind, ["-c", "synchronous_commit=off", ...CONNECT_SETTINGS]);
  try {
    await refuseOldServer(main).catch((error: unknown) => Promise.reject(ofAddress(error, url, setting)));
    await refuseWithoutSettings(main, kind);
    if (pools.needed !== undefined && !kind.isPooled) await refuseFewConnections(main, pools.needed);
  } catch (error) {
    await Promise.all([main, ingest, connects].map((pool) => pool.end()));
    throw error;
  }
  const { db, healthy } = kyselyOn(main, observe);
  const { db: ingestDb } = kyselyOn(ingest, observe);
  const { db: connectsDb } = kyselyOn(connects, observe);
  const listener = createListener(directUrl ?? url, logger);
  return {
    kind: "postgres",
    db,
    ingest: ingestDb,
    connects: connectsDb,
    listen: (channel, handler) => listener.listen(channel, handler),
    healthy,
    maintain: () => analyzeGrown(db, { inSteps: false }),
    pools: () => ({ main: useOf(main), ingest: useOf(ingest), connects: useOf(connects) }),
    close: async () => {
      await listener.close();
      await Promise.all([db, ingestDb, connectsDb].map((each) => each.destroy()));
    },
  };
}

function useOf({ totalCount, idleCount, waitingCount }: pg.Pool): PoolUse {
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

function createPool(
  url: string,
  max: number,
  logger: Logger,
  { limits: { connectMs, statementMs }, isPooled }: { limits: TimeLimits; isPooled: boolean },
  settings: readonly string[],
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + LATE_ANSWER_MS,
    application_name: "muster",
    ...(isPooled ? {} : ownSettings([...SESSION_SETTINGS, ...settings], statementMs)),
  });
  if (isPooled) throughPooler(pool);
  // The pool handles errors of idle connections only; an unhandled one of a connection in use would end the process.
  pool.on("connect", (client) => {
    client.on("error", (error) => logger.warn({ err: error.message }, "a database connection broke"));
  });
  pool.on("error", () => undefined);
  return pool;
}

async function refuseOldServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ server_version_num: string }>("SHOW server_version_num");
  const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (!(major >= OLDEST_MAJOR)) throw new Error(`PostgreSQL ${OLDEST_MAJOR} or later is needed; this is ${major}`);
}

/**
 * Returns the reason why an address cannot be used, with the setting that contains it, and without its password, which
 * may also be in the query.
 */
function ofAddress(error: unknown, url: string, setting: AddressSetting): unknown {
  const known = ofPooler(error);
  if (known !== error) return known;
  const shown = Object.assign(new URL(url), { password: "", search: "" });
  // If a name has several addresses, the combined error has no message.
  const { message, errors = [] } = error as Partial<AggregateError>;
  const why = message || errors.map((each: Error) => each.message).join(", ");
  return new Error(`${setting} (${shown.href}) cannot be used: ${why}`, { cause: error });
}

/**
 * Checks the number of connections. Without this check, a service with many workers would start, and fail once all of
 * them are busy.
 */
async function refuseFewConnections(pool: pg.Pool, needed: number): Promise<void> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    "SELECT name, setting FROM pg_settings WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')",
  );
  const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]));
  const { max_connections: max = 0, ...reserved } = settings;
  const free = max - Object.values(reserved).reduce((sum, each) => sum + each, 0);
  if (needed > free)
    throw new Error(
      `the workers need ${needed} connections to PostgreSQL, which has ${free} (max_connections ${max}, less the reserved ones): raise max_connections, or run fewer workers`,
    );
}
