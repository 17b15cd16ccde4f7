import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { naiveIngest, type Run } from "./naive-ingest.ts";
import { query, startPostgres } from "./postgres.ts";

const CONNECTIONS = 8;
const COUNT = `SELECT sum(coalesce(cardinality(numbers), 0) + coalesce(cardinality(texts), 0)) AS count FROM telemetry_messages`;

const LOG_BYTES = "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS bytes";

/** A database that ingest is measured on. */
export interface IngestEngine {
  readonly name: string;
  /** Where PostgreSQL is; absent for the embedded database. */
  readonly databaseUrl?: string;
  /** Messages a second that the row "publish to anomaly" is half of; absent where it is not measured. */
  readonly load?: number;
  /** What a message of 10 to 10,000 devices may cost: messages a second, and CPU where it has a target. */
  readonly target: { readonly perSecond: number; readonly cpuUs?: number };
  /** CPU time of its own processes, in milliseconds; 0 where it runs in the server's. */
  cpuMs(): number;
  /** How much it has written to its log; PostgreSQL only. */
  readonly logBytes?: () => Promise<number>;
  /** Measures naive ingest (naive-ingest.ts) on it. */
  naive(): Promise<{ perSecond: number; cpuUs: number }>;
  /** Counts the stored readings; call after the server has stopped. */
  readings(): Promise<number>;
  stop(): Promise<void>;
}

/** @param dataDir of the server */
export function embeddedEngine(dataDir: string): IngestEngine {
  return {
    name: "PGlite",
    target: { perSecond: 25_000 },
    cpuMs: () => 0,
    naive: () => onEmbedded(join(dataDir, "naive"), (run) => naiveIngest([run], () => 0)),
    readings: () => onEmbedded(join(dataDir, "postgres"), async (run) => countIn(await run(COUNT, []))),
    stop: async () => undefined,
  };
}

/** Throws {@link Skip} where PostgreSQL's programs are missing. */
export async function postgresEngine(): Promise<IngestEngine> {
  const postgres = await startPostgres();
  const databaseUrl = await postgres.createDatabase("ingest");
  return {
    name: "PostgreSQL",
    databaseUrl,
    load: 20_000,
    target: { perSecond: 42_000, cpuUs: 28 },
    cpuMs: postgres.cpuMs,
    logBytes: async () => Number((await query<{ bytes: string }>(databaseUrl, LOG_BYTES))[0]!.bytes),
    naive: async () => {
      const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
      const run: Run = (statement, parameters) =>
        pool.query({ name: statement.slice(0, 60), text: statement }, parameters);
      return await naiveIngest(Array<Run>(CONNECTIONS).fill(run), postgres.cpuMs).finally(() => pool.end());
    },
    readings: async () => Number((await query<{ count: string }>(databaseUrl, COUNT))[0]!.count),
    stop: postgres.stop,
  };
}

async function onEmbedded<T>(folder: string, work: (run: Run) => Promise<T>): Promise<T> {
  const database = await PGlite.create({ dataDir: folder });
  const run: Run = (statement, parameters) => database.query(statement, parameters);
  return await work(run).finally(() => database.close());
}

function countIn(result: unknown): number {
  return Number((result as { rows: { count: string }[] }).rows[0]!.count);
}
