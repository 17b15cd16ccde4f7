import { type RawBuilder, type Selectable, sql } from "kysely";
import { visibleDevice } from "../access/access.ts";
import type { Db } from "../db/database.ts";
import type { DevicesTable } from "../db/schema.generated.ts";
import { readStatement, statement } from "../db/statement.ts";
import type { PageRequest } from "../lib/page.ts";
import { type Counted, contains, countedPage, filteredPage } from "../lists/counted-page.ts";
import { searchPage } from "../lists/search-page.ts";

export type CertificateState = "none" | "active" | "renewal_due" | "expiring" | "expired" | "revoked";
export type Connectivity = Selectable<DevicesTable>["connectivity"];

export interface DeviceRow {
  uid: string;
  id: string;
  name: string;
  description: string;
  device_type_id: string | null;
  metadata: Record<string, unknown>;
  hardware_fingerprint: string | null;
  hardware_model: string | null;
  agent_version: string | null;
  agent_capabilities: string[];
  mac_address: string | null;
  connectivity: Connectivity;
  connectivity_since: Date | null;
  connectivity_reason: string | null;
  last_seen_at: Date | null;
  created_at: Date;
  updated_at: Date;
  group_ids: string[];
  threshold_ids: string[];
  certificate_state: CertificateState;
}

export interface DeviceFilter {
  groupId?: string | undefined;
  deviceTypeId?: string | undefined;
  connectivity?: Connectivity | undefined;
  /** A part of the id or the name, in any case. */
  q?: string | undefined;
  /** Only devices that this user sees. */
  viewer?: string | undefined;
}

/** The device as the caller sees it; `undefined` when it does not exist for this caller. */
export async function findDevice(
  db: Db,
  tenantId: string,
  id: string,
  { viewer }: Pick<DeviceFilter, "viewer">,
  now: Date,
): Promise<DeviceRow | undefined> {
  const [row] =
    viewer === undefined
      ? await readStatement(db, find, { tenantId, id, now })
      : await readStatement(db, findVisible, { tenantId, id, now, viewer });
  return row;
}

/** One page, newest first, and how many there are in all. */
export async function listDeviceRows(
  db: Db,
  tenantId: string,
  filter: DeviceFilter,
  page: PageRequest,
  now: Date,
): Promise<Counted<DeviceRow>> {
  const shown = { list: "devices", as: "d", columns: columns(sql`${now}`) } as const;
  const conditions = conditionsOf(filter);
  const where = conditions.length === 0 ? undefined : sql.join(conditions, sql` AND `);
  if (filter.q !== undefined) {
    const matches = sql`(${contains("d.name", filter.q)} OR ${contains("d.id", filter.q)})`;
    return await searchPage(db, tenantId, { ...shown, within: where, matches }, page);
  }
  if (where === undefined) return await countedPage(db, tenantId, shown, page);
  return await filteredPage(db, tenantId, { ...shown, where }, page);
}

function conditionsOf(filter: DeviceFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (filter.groupId !== undefined) conditions.push(inGroup(filter.groupId));
  if (filter.deviceTypeId !== undefined) conditions.push(sql`d.device_type_id = ${filter.deviceTypeId}::uuid`);
  if (filter.connectivity !== undefined) conditions.push(sql`d.connectivity = ${filter.connectivity}`);
  if (filter.viewer !== undefined) conditions.push(visibleDevice(filter.viewer, "d.uid"));
  return conditions;
}

function inGroup(groupId: string): RawBuilder<unknown> {
  return sql`EXISTS (SELECT 1 FROM device_groups g WHERE g.device_uid = d.uid AND g.group_id = ${groupId}::uuid)`;
}

/**
 * The state of the live certificate that ends last; without a live one, the state of the newest. A bundle is `expiring` from 30 days
 * before its end, a self-enrolled certificate `renewal_due` from `renewAfterUtc` (spec 2.8).
 */
function certificateState(now: RawBuilder<Date>): RawBuilder<CertificateState> {
  const isLive = sql`c.revoked_at IS NULL AND c.not_after > ${now}::timestamptz`;
  return sql`coalesce((
    SELECT CASE
        WHEN c.revoked_at IS NOT NULL THEN 'revoked'
        WHEN c.not_after <= ${now}::timestamptz THEN 'expired'
        WHEN c.kind = 'platform' AND c.not_after <= ${now}::timestamptz + interval '30 days' THEN 'expiring'
        WHEN c.renew_after <= ${now}::timestamptz THEN 'renewal_due'
        ELSE 'active' END
      FROM shared_certificates c WHERE c.device_uid = d.uid
      ORDER BY ${isLive} DESC, CASE WHEN ${isLive} THEN c.not_after END DESC NULLS LAST, c.issued_at DESC, c.id DESC
      LIMIT 1), 'none')`;
}

function columns(now: RawBuilder<Date>): RawBuilder<unknown> {
  return sql`d.uid, d.id, d.name, d.description, d.device_type_id, d.metadata, d.hardware_fingerprint,
    d.hardware_model, d.agent_version, d.agent_capabilities, d.mac_address, d.connectivity, d.connectivity_since,
    d.connectivity_reason, d.last_seen_at, d.created_at, d.updated_at,
    ARRAY(SELECT g.group_id::text FROM device_groups g WHERE g.device_uid = d.uid ORDER BY g.group_id) AS group_ids,
    ARRAY(SELECT t.threshold_id::text FROM device_thresholds t WHERE t.device_uid = d.uid ORDER BY t.threshold_id)
      AS threshold_ids,
    ${certificateState(now)} AS certificate_state`;
}

interface Lookup {
  tenantId: string;
  id: string;
  now: Date;
}

// The most frequent statement of the public API: see `npm run bench -- device`.
const find = statement<Lookup, DeviceRow>(
  "find-device",
  (p) => sql`SELECT ${columns(p.now)} FROM devices d
    WHERE d.tenant_id = ${p.tenantId}::uuid AND d.id = ${p.id}::text AND d.deleted_at IS NULL`,
);

const findVisible = statement<Lookup & { viewer: string }, DeviceRow>(
  "find-visible-device",
  (p) => sql`SELECT ${columns(p.now)} FROM devices d
    WHERE d.tenant_id = ${p.tenantId}::uuid AND d.id = ${p.id}::text AND d.deleted_at IS NULL
      AND ${visibleDevice(p.viewer, "d.uid")}`,
);
