import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/**
 * Reports whether a service has the database open: each of its processes has a listening connection
 * (`db/postgres-listener.ts`).
 */
export async function isServed(db: Db): Promise<boolean> {
  const { rows } = await sql<{ served: boolean }>`
    SELECT EXISTS (SELECT FROM pg_stat_activity
                    WHERE datname = current_database() AND application_name = 'muster-listen') AS served`.execute(db);
  return rows[0]!.served;
}

/**
 * Identifies a database of a running server, regardless of the address used: a recovered cluster has the same
 * identifiers as the former one.
 */
export async function placeOf(db: Db): Promise<string> {
  const { rows } = await sql<{ place: string }>`
    SELECT concat_ws(' ', pg_postmaster_start_time(), current_setting('port'), current_database()) AS place`.execute(
    db,
  );
  return rows[0]!.place;
}
