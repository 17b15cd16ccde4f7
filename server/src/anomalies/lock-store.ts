import { sql } from "kysely";
import type { Tx } from "../db/database.ts";

/** Prevents that these anomalies are acknowledged or resolved before the transaction ends. Locks them in the order in which ingest does. */
export async function shareLockAnomalies(tx: Tx, ids: string[]): Promise<void> {
  await sql`SELECT FROM anomalies WHERE id = ANY (${ids}::uuid[]) ORDER BY device_uid, rule_id, id FOR SHARE`.execute(
    tx,
  );
}
