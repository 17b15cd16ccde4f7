import { sql } from "kysely";
import { visibleDevice } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { contains } from "../../lists/counted-page.ts";

/** The greatest number of devices read, which takes about 20 ms. */
const NEWEST = 20_000;

/** A device as pickers show it. */
export interface SuggestionRow {
  id: string;
  name: string;
  hardware_fingerprint: string | null;
  place: string | null;
  group_ids: string[];
}

/** Returns the device with the id or fingerprint `q`, then the newest whose id, name or fingerprint contains it. */
export async function suggestDeviceRows(
  db: Db,
  tenantId: string,
  { q, limit, viewer }: { q: string; limit: number; viewer: string | undefined },
): Promise<SuggestionRow[]> {
  const { rows } = await sql<SuggestionRow>`
    WITH exact AS (
      SELECT d.uid FROM devices d
       WHERE d.tenant_id = ${tenantId} AND (d.id = ${q} OR d.fingerprint_key = lower(${q})) AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")}
    ), newest AS (
      SELECT d.uid, d.id, d.name, d.hardware_fingerprint FROM devices d WHERE d.tenant_id = ANY (ARRAY[${tenantId}]::uuid[]) AND d.deleted_at IS NULL
       ORDER BY d.tenant_id DESC, d.uid DESC LIMIT ${sql.lit(NEWEST)}
    )
    SELECT d.id, d.name, d.hardware_fingerprint, device_place(d.metadata) AS place,
           ARRAY(SELECT g.group_id::text FROM device_groups g WHERE g.device_uid = d.uid ORDER BY g.group_id) AS group_ids
      FROM (
        SELECT uid, 0 AS rank FROM exact
        UNION ALL
        SELECT * FROM (
          SELECT d.uid, 1 FROM newest d
           WHERE (${contains("d.id", q)} OR ${contains("d.name", q)} OR ${contains("d.hardware_fingerprint", q)})
             AND d.uid NOT IN (SELECT uid FROM exact) AND ${visibleDevice(viewer, "d.uid")}
           ORDER BY d.uid DESC LIMIT ${limit}) others
      ) found JOIN devices d USING (uid) ORDER BY found.rank, d.uid DESC LIMIT ${limit}`.execute(db);
  return rows;
}

/**
 * Returns those `ids` that are devices visible to `viewer` (a user; `undefined` sees every device), with their names.
 */
export async function findDeviceNames(
  db: Db,
  tenantId: string,
  { ids, viewer }: { ids: readonly string[]; viewer: string | undefined },
): Promise<Omit<SuggestionRow, "hardware_fingerprint">[]> {
  const { rows } = await sql<Omit<SuggestionRow, "hardware_fingerprint">>`
    SELECT d.id, d.name, device_place(d.metadata) AS place,
           ARRAY(SELECT g.group_id::text FROM device_groups g WHERE g.device_uid = d.uid ORDER BY g.group_id) AS group_ids
      FROM devices d
     WHERE d.tenant_id = ${tenantId} AND d.id = ANY (${[...ids]}::text[]) AND d.deleted_at IS NULL
       AND ${visibleDevice(viewer, "d.uid")}`.execute(db);
  return rows;
}
