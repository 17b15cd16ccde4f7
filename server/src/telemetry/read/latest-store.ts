import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { runStatement, statement } from "../../db/statement.ts";

/** A stored value: exactly one of `number`, `flag` and `text` is set. */
export interface ValueColumns {
  number: number | null;
  flag: boolean | null;
  text: string | null;
}

export interface LatestRow extends ValueColumns {
  metric: string;
  ts: Date;
  received_at: Date;
  time_replaced: boolean;
}

const selectLatest = statement<{ tenantId: string; deviceUid: string }, LatestRow>(
  "latest-values",
  (p) => sql`
  SELECT l.metric, l.ts, l.number, l.flag, l.text, l.received_at, l.time_replaced
    FROM shared_latest_values l JOIN shared_devices d ON d.uid = l.device_uid
   WHERE d.tenant_id = ${p.tenantId}::uuid AND l.device_uid = ${p.deviceUid}::uuid
   ORDER BY l.metric COLLATE "C"`,
);

/** Lists the latest value of every metric of a device in the tenant, by metric. */
export async function listLatestRows(db: Db, tenantId: string, deviceUid: string): Promise<LatestRow[]> {
  return await runStatement(db, selectLatest, { tenantId, deviceUid });
}
