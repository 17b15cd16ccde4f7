import { sql } from "kysely";
import type { Tx } from "../db/database.ts";

/**
 * Prevents these anomalies from being acknowledged or resolved before the transaction ends. Uses the lock order of
 * ingest.
 */
export async function shareLockAnomalies(tx: Tx, ids: string[]): Promise<void> {
  await sql`SELECT FROM anomalies WHERE id = ANY (${ids}::uuid[]) ORDER BY device_uid, rule_id, id FOR SHARE`.execute(
    tx,
  );
}
