import { sql } from "kysely";
import { visibleDevice } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { contains } from "../../lists/counted-page.ts";

/** The greatest number of devices read, which takes about 20 ms. */
const NEWEST = 20_000;

/** Returns the device with the id `q`, then the newest whose id or name contains it. */
export async function suggestDeviceRows(
  db: Db,
  tenantId: string,
  { q, limit, viewer }: { q: string; limit: number; viewer: string | undefined },
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    WITH exact AS (
      SELECT d.uid, d.id, d.name FROM devices d
       WHERE d.tenant_id = ${tenantId} AND d.id = ${q} AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")}
    ), newest AS (
      SELECT d.uid, d.id, d.name FROM devices d WHERE d.tenant_id = ANY (ARRAY[${tenantId}]::uuid[]) AND d.deleted_at IS NULL
       ORDER BY d.tenant_id DESC, d.uid DESC LIMIT ${sql.lit(NEWEST)}
    )
    SELECT id, name FROM (
      SELECT uid, id, name, 0 AS place FROM exact
      UNION ALL
      SELECT d.uid, d.id, d.name, 1 FROM newest d
       WHERE (${contains("d.id", q)} OR ${contains("d.name", q)}) AND d.id <> ${q} AND ${visibleDevice(viewer, "d.uid")}
    ) found ORDER BY place, uid DESC LIMIT ${limit}`.execute(db);
  return rows;
}

/**
 * Returns those `ids` that are devices visible to `viewer` (a user; `undefined` sees every device), with their names.
 */
export async function findDeviceNames(
  db: Db,
  tenantId: string,
  { ids, viewer }: { ids: readonly string[]; viewer: string | undefined },
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    SELECT d.id, d.name FROM devices d
     WHERE d.tenant_id = ${tenantId} AND d.id = ANY (${[...ids]}::text[]) AND d.deleted_at IS NULL
       AND ${visibleDevice(viewer, "d.uid")}`.execute(db);
  return rows;
}
