import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { Cause, CauseKind, Shared } from "./find-causes.ts";

/** Records an outage and the anomalies of its devices. */
export async function insertOutage(
  tx: Tx,
  tenantId: string,
  outage: { id: string; cause: Cause; silent: number; since: Date },
): Promise<void> {
  const { id, cause, silent, since } = outage;
  await sql`
    INSERT INTO outages (id, tenant_id, kind, value, silent, explained, sharing, since)
    VALUES (${id}, ${tenantId}, ${cause.kind}, ${cause.value}, ${silent}, ${cause.silent.length}, ${cause.of}, ${since})`.execute(
    tx,
  );
  await addToOutage(tx, tenantId, id, cause.silent);
}

export async function addToOutage(tx: Tx, tenantId: string, id: string, anomalyIds: readonly string[]): Promise<void> {
  await sql`
    INSERT INTO outage_anomalies (anomaly_id, tenant_id, outage_id)
    SELECT u.id, ${tenantId}::uuid, ${id}::uuid FROM unnest(${[...anomalyIds]}::uuid[]) AS u (id)
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** Takes anomalies out of their outages, so that they page or are grouped anew. */
export async function leaveOutages(tx: Tx, anomalyIds: readonly string[]): Promise<void> {
  await sql`DELETE FROM outage_anomalies WHERE anomaly_id = ANY (${[...anomalyIds]}::uuid[])`.execute(tx);
}

/** The cause of an outage of the last half hour of which most devices are still silent. */
export interface RecentOutage {
  id: string;
  kind: CauseKind | "all";
  value: string;
}

export async function recentOutages(tx: Tx, tenantId: string, now: Date): Promise<RecentOutage[]> {
  const { rows } = await sql<RecentOutage>`
    SELECT o.id, o.kind, o.value FROM outages o
     WHERE o.tenant_id = ${tenantId} AND o.since > ${now}::timestamptz - interval '30 minutes'
       AND (SELECT count(*) FILTER (WHERE a.resolved_at IS NULL) * 2 >= count(*) AND count(*) > 0
              FROM outage_anomalies m JOIN shared_anomalies a ON a.id = m.anomaly_id WHERE m.outage_id = o.id)
     ORDER BY o.id`.execute(tx);
  return rows;
}

export function explains({ kind, value }: RecentOutage, shared: Shared): boolean {
  return kind === "all" || (shared[kind]?.includes(value) ?? false);
}

/** The content of an outage's one page to a group. */
export interface OutagePage {
  outageId: string;
  groupId: string;
  /** The anomaly whose steps stand for all: the first of the outage in the group. */
  anomalyId: string;
  kind: CauseKind | "all";
  value: string;
  /** The name of the type or group; `null` for other causes, whose value says it. */
  label: string | null;
  silent: number;
  explained: number;
  sharing: number;
  since: Date;
  /** The first devices of the group in it, and their number. */
  names: string[];
  inGroup: number;
}

const SHOWN = 20;

/** Returns for each group that is paged about these outages what it is told. */
export async function outagePages(tx: Tx, outageIds: readonly string[]): Promise<OutagePage[]> {
  const { rows } = await sql<OutagePage>`
    SELECT o.id AS "outageId", g."groupId", g.ids[1] AS "anomalyId", o.kind, o.value, o.silent, o.explained, o.sharing, o.since,
           CASE o.kind WHEN 'type' THEN (SELECT y.name FROM shared_device_types y WHERE y.id::text = o.value)
                       WHEN 'group' THEN (SELECT s.name FROM shared_groups s WHERE s.id::text = o.value) END AS label,
           g.names[1:${SHOWN}] AS names, cardinality(g.names) AS "inGroup"
      FROM outages o CROSS JOIN LATERAL (
        SELECT p.group_id AS "groupId", array_agg(m.anomaly_id ORDER BY m.anomaly_id) AS ids,
               array_agg(d.name ORDER BY m.anomaly_id) AS names
          FROM outage_anomalies m
          JOIN (SELECT DISTINCT anomaly_id, group_id FROM pages) p ON p.anomaly_id = m.anomaly_id
          JOIN shared_anomalies a ON a.id = m.anomaly_id JOIN shared_devices d ON d.uid = a.device_uid
         WHERE m.outage_id = o.id GROUP BY p.group_id) g
     WHERE o.id = ANY (${[...outageIds]}::uuid[])`.execute(tx);
  return rows;
}

/** Deletes up to `limit` outages that began before `before`. @returns their number */
export async function deleteOutages(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM outages WHERE id = ANY (ARRAY(SELECT id FROM outages WHERE since < ${before} ORDER BY since LIMIT ${limit}))
    RETURNING 1`.execute(db);
  return rows.length;
}
