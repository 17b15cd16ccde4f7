import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { dependsOnSilent } from "../dependencies/dependency-store.ts";
import { isSilence } from "../holds/silence-store.ts";
import type { CauseKind, Shared } from "./find-causes.ts";

/** The maximum age of a silence that starts an outage, and of an outage that further silences join. */
const RECENT = sql`interval '30 minutes'`;

/** The largest number of silences that are grouped at once. */
const MOST_SILENT = 20_000;

/** The grouping of one silent device's page. */
export interface GroupingRow {
  anomalyId: string;
  tenantId: string;
  /** Until then its page waits for others. */
  waitUntil: Date;
  /** The outage that it is part of, and whether most of its devices are still silent. */
  outageId: string | null;
  active: boolean;
}

/** Reads how the pages of those of the anomalies that are silences are grouped. */
export async function readGrouping(tx: Tx, anomalyIds: readonly string[]): Promise<GroupingRow[]> {
  const { rows } = await sql<GroupingRow>`
    WITH silence AS MATERIALIZED (
      SELECT a.id, a.tenant_id, a.opened_at + make_interval(mins => t.cause_wait_minutes) AS wait_until, o.outage_id
        FROM shared_anomalies a JOIN shared_tenants t ON t.id = a.tenant_id
        LEFT JOIN outage_anomalies o ON o.anomaly_id = a.id
       WHERE a.id = ANY (${[...anomalyIds]}::uuid[]) AND ${isSilence("a")}
         AND t.cause_wait_minutes > 0
    ), outage AS MATERIALIZED (
      SELECT m.outage_id, count(*) AS total, count(*) FILTER (WHERE a.resolved_at IS NULL) AS unresolved
        FROM outage_anomalies m JOIN shared_anomalies a ON a.id = m.anomaly_id
       WHERE m.outage_id IN (SELECT outage_id FROM silence) GROUP BY m.outage_id)
    SELECT s.id AS "anomalyId", s.tenant_id AS "tenantId", s.wait_until AS "waitUntil", s.outage_id AS "outageId",
           coalesce(o.unresolved * 2 >= o.total, false) AS active
      FROM silence s LEFT JOIN outage o ON o.outage_id = s.outage_id`.execute(tx);
  return rows;
}

/** A silence of which nobody was told yet. */
export interface Candidate {
  id: string;
  openedAt: Date;
  shared: Shared;
}

/** SQL: the network of an address: of 256 for IPv4, /64 for IPv6. */
const block = (address: string) => sql`CASE
  WHEN ${sql.ref(address)} ~ '^\\d{1,3}(\\.\\d{1,3}){3}$' THEN regexp_replace(${sql.ref(address)}, '\\d+$', '0/24')
  WHEN ${sql.ref(address)} ~ '^[0-9a-fA-F:]*:[0-9a-fA-F:]*$' THEN network(set_masklen(${sql.ref(address)}::inet, 64))::text END`;

/** Reads the tenant's recent silences that nothing explains yet and no page has told of. */
export async function readCandidates(tx: Tx, tenantId: string, now: Date): Promise<Candidate[]> {
  const { rows } = await sql<{ id: string; openedAt: Date; shared: Record<CauseKind, (string | null)[]> }>`
    SELECT a.id, a.opened_at AS "openedAt", jsonb_build_object(
             'address', ARRAY[g.remote_address], 'block', ARRAY[${block("g.remote_address")}], 'node', ARRAY[g.node_id],
             'version', ARRAY[d.agent_version], 'type', ARRAY[d.device_type_id],
             'batch', ARRAY(SELECT c.claim_id FROM shared_certificates c
               WHERE c.device_uid = d.uid AND c.revoked_at IS NULL AND c.claim_id IS NOT NULL LIMIT 1),
             'group', ARRAY(SELECT m.group_id FROM shared_device_groups m WHERE m.device_uid = d.uid)) AS shared
      FROM shared_anomalies a JOIN shared_devices d ON d.uid = a.device_uid
      LEFT JOIN shared_device_origins g ON g.device_uid = d.uid
     WHERE a.tenant_id = ${tenantId} AND a.resolved_at IS NULL AND a.status = 'open' AND ${isSilence("a")}
       AND a.opened_at > ${now}::timestamptz - ${RECENT}
       AND NOT EXISTS (SELECT FROM outage_anomalies o WHERE o.anomaly_id = a.id) AND NOT ${dependsOnSilent("d")}
       AND NOT EXISTS (SELECT FROM pages p WHERE p.anomaly_id = a.id AND p.state <> 'due')
     ORDER BY a.id LIMIT ${MOST_SILENT}`.execute(tx);
  return rows.map(({ shared, ...row }) => ({ ...row, shared: withoutNulls(shared) }));
}

function withoutNulls(shared: Record<CauseKind, (string | null)[]>): Shared {
  return Object.fromEntries(
    Object.entries(shared).map(([kind, values]) => [kind, values.filter((value) => value !== null)]),
  );
}

/** The number of watched devices that have a value; an empty kind and value count all. */
export interface FleetCount {
  kind: CauseKind | "";
  value: string;
  devices: number;
}

/** Counts the tenant's devices whose silence is watched: all, and those with each value of the candidates. */
export async function countFleet(tx: Tx, tenantId: string, candidates: readonly Candidate[]): Promise<FleetCount[]> {
  const valuesOf = (kind: CauseKind) => [...new Set(candidates.flatMap(({ shared }) => shared[kind] ?? []))];
  const { rows } = await sql<FleetCount>`
    WITH fleet AS MATERIALIZED (
      SELECT d.uid, d.device_type_id::text AS type, d.agent_version AS version, g.node_id::text AS node,
             g.remote_address AS address, ${block("g.remote_address")} AS block
        FROM shared_devices d
        JOIN shared_device_types y ON y.id = d.device_type_id AND y.silent_for_seconds IS NOT NULL
        LEFT JOIN shared_device_origins g ON g.device_uid = d.uid
       WHERE d.tenant_id = ${tenantId} AND d.deleted_at IS NULL AND d.connectivity <> 'never_seen')
    SELECT '' AS kind, '' AS value, count(*)::int AS devices FROM fleet
    UNION ALL SELECT 'type', type, count(*)::int FROM fleet WHERE type = ANY (${valuesOf("type")}::text[]) GROUP BY type
    UNION ALL SELECT 'version', version, count(*)::int FROM fleet
     WHERE version = ANY (${valuesOf("version")}::text[]) GROUP BY version
    UNION ALL SELECT 'node', node, count(*)::int FROM fleet WHERE node = ANY (${valuesOf("node")}::text[]) GROUP BY node
    UNION ALL SELECT 'address', address, count(*)::int FROM fleet
     WHERE address = ANY (${valuesOf("address")}::text[]) GROUP BY address
    UNION ALL SELECT 'block', block, count(*)::int FROM fleet WHERE block = ANY (${valuesOf("block")}::text[]) GROUP BY block
    UNION ALL SELECT 'batch', c.claim_id::text, count(DISTINCT c.device_uid)::int
      FROM fleet f JOIN shared_certificates c ON c.device_uid = f.uid AND c.revoked_at IS NULL
     WHERE c.claim_id = ANY (${valuesOf("batch")}::uuid[]) GROUP BY c.claim_id
    UNION ALL SELECT 'group', m.group_id::text, count(*)::int FROM fleet f JOIN shared_device_groups m ON m.device_uid = f.uid
     WHERE m.group_id = ANY (${valuesOf("group")}::uuid[]) GROUP BY m.group_id`.execute(tx);
  return rows;
}
