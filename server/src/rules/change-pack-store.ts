import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import type { ThresholdRow } from "./pack-store.ts";

export interface EditedThresholdRow extends ThresholdRow {
  revision: number;
  updated_at: Date;
}

const COLUMNS = sql`t.id, t.name, t.description, t.enabled, t.rules, t.created_at, t.revision, t.updated_at`;

/**
 * The tenant's pack, held from here on: neither is it changed by anybody else, nor does anybody open an anomaly for it, before the
 * transaction ends. The full lock is what its triggers take anyway (migration 0009).
 */
export async function lockThreshold(tx: Tx, tenantId: string, id: string): Promise<EditedThresholdRow | undefined> {
  const { rows } = await sql<EditedThresholdRow>`
    SELECT ${COLUMNS} FROM thresholds t WHERE t.tenant_id = ${tenantId} AND t.id = ${id} FOR UPDATE`.execute(tx);
  return rows[0];
}

/** @returns the revision, which the database counts */
export async function updateThresholdRow(tx: Tx, tenantId: string, row: EditedThresholdRow): Promise<number> {
  const { rows } = await sql<{ revision: number }>`
    UPDATE thresholds SET name = ${row.name}, description = ${row.description}, enabled = ${row.enabled},
           rules = ${JSON.stringify(row.rules)}::text::json, updated_at = ${row.updated_at}
     WHERE tenant_id = ${tenantId} AND id = ${row.id} RETURNING revision`.execute(tx);
  return rows[0]!.revision;
}

/**
 * Takes the pack off every device and type. To be called before its lock is taken: whoever takes a pack off a device contains that row
 * before the pack.
 */
export async function takeOffEverything(tx: Tx, tenantId: string, id: string): Promise<void> {
  await sql`DELETE FROM device_thresholds WHERE tenant_id = ${tenantId} AND threshold_id = ${id}`.execute(tx);
  await sql`DELETE FROM device_type_thresholds WHERE tenant_id = ${tenantId} AND threshold_id = ${id}`.execute(tx);
}

/** Deletes the pack, which is locked. What it found is resolved by the database, at `now`. */
export async function deleteThresholdRow(tx: Tx, tenantId: string, id: string, now: Date): Promise<void> {
  await sql`UPDATE thresholds SET updated_at = ${now} WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(tx);
  await sql`DELETE FROM thresholds WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(tx);
}

/** What hangs on a pack. */
export interface Reach {
  /** How many devices it is put on. */
  devices: number;
  /** How many device types it is put on. */
  deviceTypes: number;
  unresolvedAnomalies: number;
}

export async function findReach(
  db: Db,
  tenantId: string,
  id: string,
): Promise<(EditedThresholdRow & Reach) | undefined> {
  const { rows } = await sql<EditedThresholdRow & Reach>`
    SELECT ${COLUMNS},
           (SELECT count(*)::int FROM device_thresholds w WHERE w.threshold_id = t.id) AS devices,
           (SELECT count(*)::int FROM device_type_thresholds w WHERE w.threshold_id = t.id) AS "deviceTypes",
           (SELECT count(*)::int FROM anomalies a WHERE a.threshold_id = t.id AND a.resolved_at IS NULL)
             AS "unresolvedAnomalies"
      FROM thresholds t WHERE t.tenant_id = ${tenantId} AND t.id = ${id}`.execute(db);
  return rows[0];
}

/** The slug of the tenant that owns the pack: the shell names a pack by its id alone. */
export async function findOwner(db: Db, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ slug: string }>`
    SELECT y.slug FROM thresholds t JOIN tenants y ON y.id = t.tenant_id WHERE t.id = ${id}`.execute(db);
  return rows[0]?.slug;
}
