import { type RawBuilder, sql } from "kysely";
import { visibleDevice } from "../access/access.ts";
import { hasServerRoot, type ServerRoot } from "../certificates/certificates.ts";
import type { Db } from "../db/database.ts";
import { hasOtherTopics } from "../devices/devices.ts";
import type { PageRequest } from "../lib/page.ts";

/** The kinds of findings that are counted and listed across all devices. */
export const LISTED_FINDING_KINDS = [
  "shared_key",
  "publishes_nowhere",
  "renewal_overdue",
  "bundle_expiring",
  "clock_replaced",
  "values_rejected",
] as const;
export type ListedFindingKind = (typeof LISTED_FINDING_KINDS)[number];

/**
 * The kinds of findings that can be listed one at a time. `server_root_missing` is not counted, because almost every
 * device lacks a new root when its rollout begins.
 */
export const ASKED_FINDING_KINDS = [...LISTED_FINDING_KINDS, "server_root_missing"] as const;

/**
 * All kinds of findings. `topics_changed` is evaluated for single devices only: across all, it would compare the topics
 * of every certificate.
 */
export const FINDING_KINDS = [...ASKED_FINDING_KINDS, "topics_changed"] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface FindingRow {
  kind: FindingKind;
  device_id: string;
  device_name: string;
  certificate_id: string | null;
  /** The affected metrics. */
  metrics: string[];
  at: Date;
}

/** The selection of findings to read. */
export interface FindingScope {
  tenantId: string;
  /** The prefix of the topics of the tenant's devices. */
  topicPrefix: string;
  now: Date;
  /** A renewal that was due before this time is overdue. */
  overdueBefore: Date;
  /** A bundle that ends before this time ends soon. */
  expiringBefore: Date;
  /** A device with a message that was rejected, or stored in part, since this time has a finding. */
  rejectedSince: Date;
  /** The server root that replaces another one, if a rollout is in progress. */
  serverRoot?: ServerRoot | undefined;
  deviceId?: string | undefined;
  kind?: FindingKind | undefined;
  viewer?: string | undefined;
}

/** Lists one page, newest first, and the total number. */
export async function listFindingRows(
  db: Db,
  scope: FindingScope,
  { skip, limit }: PageRequest,
): Promise<{ rows: FindingRow[]; total: number }> {
  const { rows } = await sql<FindingRow & { total: string }>`
    WITH found (${COLUMNS}) AS MATERIALIZED (${findings(scope)}), total AS (SELECT count(*) AS total FROM found)
    SELECT t.total, p.* FROM total t LEFT JOIN (
      SELECT * FROM found ORDER BY at DESC, kind, device_id OFFSET ${skip} LIMIT ${limit}) p ON true
     ORDER BY p.at DESC, p.kind, p.device_id`.execute(db);
  const found = rows.filter(({ kind }) => kind !== null);
  return { rows: found.map(({ total, ...row }) => row), total: Number(rows[0]!.total) };
}

/** Counts the findings of each kind. */
export async function countFindingRows(db: Db, scope: FindingScope): Promise<Record<ListedFindingKind, number>> {
  const { rows } = await sql<{ kind: FindingKind; findings: string }>`
    SELECT kind, count(*) AS findings FROM (${findings(scope)}) found (${COLUMNS}) GROUP BY kind`.execute(db);
  const counted = new Map(rows.map(({ kind, findings }) => [kind, Number(findings)]));
  const counts = LISTED_FINDING_KINDS.map((kind) => [kind, counted.get(kind) ?? 0]);
  return Object.fromEntries(counts) as Record<ListedFindingKind, number>;
}

const COLUMNS = sql`kind, device_id, device_name, certificate_id, metrics, at`;

function findings(scope: FindingScope): RawBuilder<unknown> {
  const asked = scope.deviceId === undefined && scope.kind === undefined ? LISTED_FINDING_KINDS : FINDING_KINDS;
  const kinds = asked.filter((kind) => scope.kind === undefined || scope.kind === kind);
  return sql.join(
    kinds.map((kind) => KINDS[kind](scope)),
    sql` UNION ALL `,
  );
}

/** SQL: selects the devices `d` of the scope. */
function ofDevices({ tenantId, deviceId, viewer }: FindingScope): RawBuilder<unknown> {
  return sql`d.tenant_id = ${tenantId}::uuid AND d.deleted_at IS NULL AND ${visibleDevice(viewer, "d.uid")}
    ${deviceId === undefined ? sql`` : sql`AND d.id = ${deviceId}`}`;
}

const isLive = (now: Date) => sql`c.revoked_at IS NULL AND c.not_after > ${now}::timestamptz`;

/** The query for each kind. Except for overdue renewals, it uses an index that contains only affected devices. */
const KINDS: Readonly<Record<FindingKind, (scope: FindingScope) => RawBuilder<unknown>>> = {
  shared_key: (scope) => sql`
    SELECT 'shared_key', d.id, d.name, c.id, '{}'::text[], f.at
      FROM shared_device_findings f JOIN shared_certificates c ON c.id = f.certificate_id JOIN shared_devices d ON d.uid = f.device_uid
     WHERE f.tenant_id = ${scope.tenantId}::uuid AND f.kind = 'shared_key' AND ${isLive(scope.now)} AND ${ofDevices(scope)}`,
  publishes_nowhere: (scope) => sql`
    SELECT 'publishes_nowhere', d.id, d.name, c.id, '{}'::text[], c.issued_at
      FROM shared_certificates c JOIN shared_devices d ON d.uid = c.device_uid
     WHERE c.tenant_id = ${scope.tenantId}::uuid AND c.publish_topics = '{}' AND ${isLive(scope.now)} AND ${ofDevices(scope)}`,
  renewal_overdue: (scope) => sql`
    SELECT 'renewal_overdue', d.id, d.name, NULL::uuid, '{}'::text[], d.certificate_renew_after
      FROM shared_devices d
     WHERE d.certificate_renew_after < ${scope.overdueBefore}::timestamptz AND d.certificate_until > ${scope.now}::timestamptz
       AND ${ofDevices(scope)}`,
  bundle_expiring: (scope) => sql`
    SELECT 'bundle_expiring', d.id, d.name, NULL::uuid, '{}'::text[], d.certificate_until - interval '30 days'
      FROM shared_devices d
     WHERE d.certificate_until < ${scope.expiringBefore}::timestamptz AND d.certificate_until > ${scope.now}::timestamptz
       AND d.certificate_renew_after IS NULL AND ${ofDevices(scope)}`,
  clock_replaced: (scope) => sql`
    SELECT 'clock_replaced', d.id, d.name, NULL::uuid, array_agg(l.metric ORDER BY l.metric), max(l.received_at)
      FROM shared_latest_values l JOIN shared_devices d ON d.uid = l.device_uid
     WHERE l.any_replaced AND l.time_replaced AND ${ofDevices(scope)} GROUP BY d.uid, d.id, d.name`,
  values_rejected: (scope) => sql`
    SELECT 'values_rejected', d.id, d.name, NULL::uuid, '{}'::text[], max(r.at)
      FROM shared_rejected_messages r JOIN shared_devices d ON d.uid = r.device_uid
     WHERE r.tenant_id = ${scope.tenantId}::uuid AND r.at > ${scope.rejectedSince}::timestamptz AND ${ofDevices(scope)}
     GROUP BY d.uid, d.id, d.name`,
  server_root_missing: (scope) => sql`
    SELECT 'server_root_missing', d.id, d.name, NULL::uuid, '{}'::text[], ${scope.serverRoot?.announcedAt ?? null}::timestamptz
      FROM shared_devices d
     WHERE d.certificate_until > ${scope.now}::timestamptz AND ${ofDevices(scope)}
       AND ${scope.serverRoot ? sql`NOT ${hasServerRoot(scope.serverRoot)}` : sql`false`}`,
  topics_changed: (scope) => sql`
    SELECT 'topics_changed', d.id, d.name, c.id, '{}'::text[], c.issued_at
      FROM shared_devices d JOIN shared_certificates c ON c.device_uid = d.uid
      LEFT JOIN shared_device_types y ON y.tenant_id = d.tenant_id AND y.id = d.device_type_id
     WHERE c.publish_topics <> '{}' AND ${isLive(scope.now)} AND ${ofDevices(scope)}
       AND ${hasOtherTopics(scope.topicPrefix, { publish: sql`y.publish_topics`, subscribe: sql`y.subscribe_topics` })}`,
};
