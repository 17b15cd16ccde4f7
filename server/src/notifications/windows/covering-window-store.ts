import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { WindowTimes } from "./window-calendar.ts";
import { coversDevice } from "./window-store.ts";

/** A maintenance window over the device of an anomaly, whether it is in effect or not. */
export interface CoveringWindow extends WindowTimes {
  anomalyId: string;
  holdsCritical: boolean;
}

/** Reads the windows that cover the devices of these anomalies and may be in effect at a time from `from` to `to`. */
export async function readCoveringWindows(
  db: Db,
  anomalyIds: readonly string[],
  from: Date,
  to: Date,
): Promise<CoveringWindow[]> {
  const { rows } = await sql<CoveringWindow>`
    SELECT a.id AS "anomalyId", w.starts_at AS "startsAt", w.ends_at AS "endsAt", w.recurrence,
           w.skipped_until AS "skippedUntil", w.extended_from AS "extendedFrom", w.extended_until AS "extendedUntil",
           w.holds_critical AS "holdsCritical"
      FROM shared_anomalies a
      JOIN shared_devices d ON d.uid = a.device_uid
      JOIN maintenance_windows w ON ${coversDevice}
     WHERE a.id = ANY (${[...anomalyIds]}::uuid[])
       AND (w.ends_at > ${from} AND w.starts_at <= ${to} OR w.recurrence IS NOT NULL)`.execute(db);
  return rows;
}
