import { sql } from "kysely";
import { visibleDevice } from "../../access/access.ts";
import type { Db, Tx } from "../../db/database.ts";
import { unlessTaken } from "../../db/refusal.ts";
import type { ThresholdRow } from "./pack-store.ts";

export interface RevisedThresholdRow extends ThresholdRow {
  revision: number;
  updated_at: Date;
}

const COLUMNS = sql`t.id, t.name, t.description, t.enabled, t.rules, t.external_id, t.created_at, t.revision, t.updated_at`;

/**
 * Locks and returns the tenant's pack. Until the transaction ends, no other transaction changes it or opens an anomaly
 * for it. This is the full row lock, which {@link endUnevaluated} needs.
 */
export async function lockThreshold(tx: Tx, tenantId: string, id: string): Promise<RevisedThresholdRow | undefined> {
  const { rows } = await sql<RevisedThresholdRow>`
    SELECT ${COLUMNS} FROM thresholds t WHERE t.tenant_id = ${tenantId} AND t.id = ${id} FOR UPDATE`.execute(tx);
  return rows[0];
}

/**
 * Fires `thresholds_revised`.
 *
 * @returns the new revision, which the database assigns
 */
export async function updateThresholdRow(tx: Tx, tenantId: string, row: RevisedThresholdRow): Promise<number> {
  const update = sql<{ revision: number }>`
    UPDATE thresholds SET external_id = ${row.external_id}, name = ${row.name}, description = ${row.description}, enabled = ${row.enabled},
           rules = ${JSON.stringify(row.rules)}::text::json, updated_at = ${row.updated_at}
     WHERE tenant_id = ${tenantId} AND id = ${row.id} RETURNING revision`;
  const { rows } = await unlessTaken("thresholds_external_id", row.external_id, () => update.execute(tx));
  return rows[0]!.revision;
}

/** Deletes a locked pack. {@link endUnevaluated} resolves its anomalies. */
export async function deleteThresholdRow(tx: Tx, tenantId: string, id: string): Promise<void> {
  await sql`DELETE FROM thresholds WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(tx);
}

/** The reason an anomaly ends because its pack was changed (`EndReason` of anomalies). */
export type PackEndReason = "rule_changed" | "pack_disabled" | "pack_deleted";

/**
 * Resolves the anomalies of a pack whose rule no longer evaluates their device, and deletes their rule states. Makes
 * every process forget the pack at the commit. The transaction has locked the pack and changed or deleted it: ingest
 * opens anomalies under a key share lock of the pack, so none is opened afterwards. Its update of anomalies fires
 * `anomalies_event_changed`.
 */
export async function endUnevaluated(tx: Tx, id: string, reason: PackEndReason, now: Date): Promise<void> {
  await sql`SELECT notify_pack_changed(${id}::uuid),
    resolve_unevaluated(NULL, ${id}::uuid, ${now}::timestamptz, ${reason}::text)`.execute(tx);
}

/** The usage of a pack. Devices and anomalies count only if the caller may see them. */
export interface PackUsage {
  /** The number of devices to which it is assigned. */
  devices: number;
  /** The number of device types to which it is assigned. */
  deviceTypes: number;
  /** The number of devices it watches, by their own or their type's assignment. */
  watchedDevices: number;
  unresolvedAnomalies: number;
}

/** @param viewer a user limited to the devices of their groups; absent for every device */
export async function findPackUsage(
  db: Db,
  tenantId: string,
  id: string,
  viewer: string | undefined,
): Promise<(RevisedThresholdRow & PackUsage) | undefined> {
  const { rows } = await sql<RevisedThresholdRow & PackUsage>`
    WITH assigned AS (SELECT device_uid FROM shared_device_thresholds WHERE threshold_id = ${id}::uuid),
    watched AS (
      SELECT device_uid FROM assigned
      UNION SELECT d.uid FROM shared_device_type_thresholds a JOIN shared_devices d ON d.device_type_id = a.device_type_id
             WHERE a.threshold_id = ${id}::uuid AND d.tenant_id = ${tenantId}::uuid AND d.deleted_at IS NULL
    )
    SELECT ${COLUMNS},
           (SELECT count(*)::int FROM assigned a WHERE ${visibleDevice(viewer, "a.device_uid")}) AS devices,
           (SELECT count(*)::int FROM shared_device_type_thresholds a WHERE a.threshold_id = t.id) AS "deviceTypes",
           (SELECT count(*)::int FROM watched w WHERE ${visibleDevice(viewer, "w.device_uid")}) AS "watchedDevices",
           (SELECT count(*)::int FROM shared_anomalies a WHERE a.threshold_id = t.id AND a.resolved_at IS NULL
               AND ${visibleDevice(viewer, "a.device_uid")}) AS "unresolvedAnomalies"
      FROM thresholds t WHERE t.tenant_id = ${tenantId} AND t.id = ${id}`.execute(db);
  return rows[0];
}

/** Finds the slug of the tenant that owns the pack. The shell identifies a pack by its id alone. */
export async function findOwner(db: Db, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ slug: string }>`
    SELECT y.slug FROM thresholds t JOIN shared_tenants y ON y.id = t.tenant_id WHERE t.id = ${id}`.execute(db);
  return rows[0]?.slug;
}
