import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { unlessTaken } from "../db/refusal.ts";
import type { MetricSetting, PayloadFormat } from "./payload-settings.ts";

export interface DeviceTypeRow {
  id: string;
  name: string;
  publish_topics: string[];
  subscribe_topics: string[];
  silent_for_seconds: number | null;
  external_id: string | null;
  payload_format: PayloadFormat;
  metrics: readonly MetricSetting[];
  created_at: Date;
  updated_at: Date;
}

export const DEVICE_TYPE_COLUMNS = [
  "id",
  "name",
  "publish_topics",
  "subscribe_topics",
  "silent_for_seconds",
  "external_id",
  "payload_format",
  "metrics",
  "created_at",
  "updated_at",
] as const;

export async function insertDeviceType(db: Db, tenantId: string, row: DeviceTypeRow): Promise<void> {
  const insert = db.insertInto("device_types").values({
    ...row,
    tenant_id: tenantId,
    publish_topics: topics(row.publish_topics),
    subscribe_topics: topics(row.subscribe_topics),
    metrics: metrics(row.metrics),
  });
  await unlessTaken("device_types_external_id", row.external_id, () => insert.execute());
}

/** Lists the types with the packs assigned to them, newest first. */
export async function listDeviceTypeRows(
  db: Db,
  tenantId: string,
): Promise<(DeviceTypeRow & { threshold_ids: string[] })[]> {
  return await db
    .selectFrom("device_types as y")
    .select(DEVICE_TYPE_COLUMNS)
    .select(
      sql<string[]>`ARRAY(SELECT x.threshold_id FROM device_type_thresholds x
        WHERE x.tenant_id = y.tenant_id AND x.device_type_id = y.id ORDER BY x.threshold_id)`.as("threshold_ids"),
    )
    .where("tenant_id", "=", tenantId)
    .orderBy("id", "desc")
    .execute();
}

export interface DeviceTypeChange {
  name: string | undefined;
  publishTopics: string[] | undefined;
  subscribeTopics: string[] | undefined;
  silentForSeconds: number | null | undefined;
  externalId: string | null | undefined;
  payloadFormat: PayloadFormat | undefined;
  metrics: readonly MetricSetting[] | undefined;
}

/** Locks and returns the row until the transaction ends; `undefined` when the tenant has none with this id. */
export async function lockDeviceTypeRow(tx: Tx, tenantId: string, id: string): Promise<DeviceTypeRow | undefined> {
  return await tx
    .selectFrom("device_types")
    .select(DEVICE_TYPE_COLUMNS)
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/**
 * Changes a row that {@link lockDeviceTypeRow} has locked. Fires `device_types_other_silence`,
 * `device_types_other_format`.
 *
 * @returns the changed row
 */
export async function updateDeviceTypeRow(
  tx: Tx,
  tenantId: string,
  id: string,
  change: DeviceTypeChange,
  now: Date,
): Promise<DeviceTypeRow> {
  const update = tx
    .updateTable("device_types")
    .set({
      updated_at: now,
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.publishTopics === undefined ? {} : { publish_topics: topics(change.publishTopics) }),
      ...(change.subscribeTopics === undefined ? {} : { subscribe_topics: topics(change.subscribeTopics) }),
      ...(change.silentForSeconds === undefined ? {} : { silent_for_seconds: change.silentForSeconds }),
      ...(change.externalId === undefined ? {} : { external_id: change.externalId }),
      ...(change.payloadFormat === undefined ? {} : { payload_format: change.payloadFormat }),
      ...(change.metrics === undefined ? {} : { metrics: metrics(change.metrics) }),
    })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .returning(DEVICE_TYPE_COLUMNS);
  return await unlessTaken("device_types_external_id", change.externalId, () => update.executeTakeFirstOrThrow());
}

/**
 * Assigns to the type exactly those `thresholdIds` that are the tenant's. Fires `device_type_thresholds_assigned`,
 * `device_type_thresholds_unassigned`.
 *
 * @returns the assigned ids
 */
export async function assignPacksToType(
  tx: Tx,
  tenantId: string,
  id: string,
  thresholdIds: string[],
): Promise<Set<string>> {
  await sql`DELETE FROM device_type_thresholds
    WHERE tenant_id = ${tenantId} AND device_type_id = ${id} AND threshold_id <> ALL (${thresholdIds}::uuid[])`.execute(
    tx,
  );
  const { rows } = await sql<{ id: string }>`
    WITH known AS (
      SELECT t.id FROM shared_thresholds t WHERE t.tenant_id = ${tenantId} AND t.id = ANY (${thresholdIds}::uuid[])
         FOR KEY SHARE OF t
    ), assigned AS (
      INSERT INTO device_type_thresholds (tenant_id, device_type_id, threshold_id)
      SELECT ${tenantId}::uuid, ${id}::uuid, k.id FROM known k ON CONFLICT DO NOTHING
    )
    SELECT id FROM known`.execute(tx);
  return new Set(rows.map((row) => row.id));
}

export async function findTypeThresholds(db: Db, tenantId: string, id: string): Promise<string[]> {
  const { rows } = await sql<{ threshold_id: string }>`SELECT threshold_id FROM device_type_thresholds
    WHERE tenant_id = ${tenantId} AND device_type_id = ${id} ORDER BY threshold_id`.execute(db);
  return rows.map((row) => row.threshold_id);
}

/** Returns the slug of the tenant that owns the type: the shell identifies a type by its id alone. */
export async function findTenantOfType(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("device_types as y")
    .innerJoin("shared_tenants as t", "t.id", "y.tenant_id")
    .select("t.slug")
    .where("y.id", "=", id)
    .executeTakeFirst();
  return row?.slug;
}

/** Casts a JavaScript array, as both drivers require. */
function topics(value: string[]) {
  return sql<string[]>`${value}::text[]`;
}

/** Casts settings of metrics, which PostgreSQL's driver would send as an array. */
function metrics(value: readonly MetricSetting[]) {
  return sql<readonly MetricSetting[]>`${JSON.stringify(value)}::text::jsonb`;
}
