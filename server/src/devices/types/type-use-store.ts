import { type RawBuilder, sql } from "kysely";
import { type Viewer, visibleDevice } from "../../access/access.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { PageRequest } from "../../lib/page.ts";
import type { Counted } from "../../lists/counted-page.ts";
import { searchPage } from "../../lists/search-page.ts";
import { DEVICE_TYPE_COLUMNS, type DeviceTypeRow } from "../device-type-store.ts";
import { topicsOf } from "../topics-store.ts";

/** The use of a device type: the undeleted devices that have it, and the redeemable claims that name it. */
export interface TypeUse {
  devices: number;
  openClaims: number;
}

/** Counts the use of a type, limited to devices that `viewer` sees. */
export async function countUse(db: Db, tenantId: string, id: string, viewer: Viewer, now: Date): Promise<TypeUse> {
  const { rows } = await sql<{ devices: string; openClaims: string }>`
    SELECT (SELECT count(*) FROM devices d WHERE d.tenant_id = ${tenantId} AND d.device_type_id = ${id}
               AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")}) AS devices,
           (SELECT count(*) FROM shared_claims c WHERE c.tenant_id = ${tenantId} AND c.intended_device_type_id = ${id}
               AND c.status = 'pending' AND c.expires_at > ${now}) AS "openClaims"`.execute(db);
  return { devices: Number(rows[0]!.devices), openClaims: Number(rows[0]!.openClaims) };
}

export async function findDeviceTypeRow(db: Db, tenantId: string, id: string): Promise<DeviceTypeRow | undefined> {
  return await db
    .selectFrom("device_types")
    .select(DEVICE_TYPE_COLUMNS)
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Locks and returns the row, so that no new reference to it can be added. */
export async function lockToDelete(tx: Tx, tenantId: string, id: string): Promise<DeviceTypeRow | undefined> {
  return await tx
    .selectFrom("device_types")
    .select(DEVICE_TYPE_COLUMNS)
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * Deletes a type that no device has; deleted devices and ended claims lose it. Fires
 * `device_type_thresholds_unassigned`.
 */
export async function deleteDeviceTypeRow(tx: Tx, tenantId: string, id: string): Promise<void> {
  await sql`DELETE FROM device_type_thresholds WHERE tenant_id = ${tenantId} AND device_type_id = ${id}`.execute(tx);
  await sql`UPDATE devices SET device_type_id = NULL
    WHERE tenant_id = ${tenantId} AND device_type_id = ${id} AND deleted_at IS NOT NULL`.execute(tx);
  await sql`DELETE FROM device_types WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(tx);
}

export interface OutdatedRow {
  id: string;
  name: string;
  certificate_ids: string[];
}

/** The topic templates of a type, and the prefix of the tenant's topics. */
export interface TypeTopics {
  prefix: string;
  publish: readonly string[];
  subscribe: readonly string[];
}

/**
 * Returns one page of the devices of a type that have a live certificate with other topics. It reads every device of
 * the type, in steps.
 */
export async function listOutdatedRows(
  db: Db,
  tenantId: string,
  typeId: string,
  { topics, viewer, now }: { topics: TypeTopics; viewer: Viewer; now: Date },
  page: PageRequest,
): Promise<Counted<OutdatedRow>> {
  const { prefix, publish, subscribe } = topics;
  const outdated = sql`FROM shared_certificates c WHERE c.device_uid = d.uid AND c.revoked_at IS NULL
    AND c.not_after > ${now}
    AND ${hasOtherTopics(prefix, { publish: sql`${[...publish]}::text[]`, subscribe: sql`${[...subscribe]}::text[]` })}`;
  const searched = {
    list: "devices",
    as: "d",
    columns: sql`d.id, d.name, ARRAY(SELECT c.id::text ${outdated} ORDER BY c.id DESC) AS certificate_ids`,
    within: sql`d.device_type_id = ${typeId}::uuid AND ${visibleDevice(viewer, "d.uid")}`,
    matches: sql`EXISTS (SELECT ${outdated})`,
  } as const;
  return await searchPage(db, tenantId, searched, page);
}

/**
 * Returns the SQL condition that the topics of the certificate `c` of the device `d` differ from those that these
 * templates (arrays; NULL for no type) give it now.
 */
export function hasOtherTopics(
  prefix: string,
  { publish, subscribe }: Record<"publish" | "subscribe", RawBuilder<string[]>>,
): RawBuilder<boolean> {
  const resolved = (templates: RawBuilder<string[]>) => topicsOf(templates, sql`${prefix}::text`, sql.ref("d.id"));
  return sql`(c.publish_topics <> ${resolved(publish)} OR c.subscribe_topics <> ${resolved(subscribe)})`;
}
