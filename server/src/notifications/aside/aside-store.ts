import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type Viewer, visibleDevice } from "../../access/access.ts";
import type { Db, Tx } from "../../db/database.ts";

/** The settings that keep single anomalies from paging. */
export interface AsideRow {
  anomalyId: string;
  snoozedUntil: Date | null;
  mutedUntil: Date | null;
  /** The opening of the anomaly and the earlier ones of its rule on its device, the latest first. */
  openings: Date[];
  /** The limit of the tenant beyond which they flap. */
  flapsAbove: number;
}

/** SQL: mute `m` concerns anomaly `a`. Lost renewals cannot be muted. */
const concerns = sql<SqlBool>`(m.device_uid = a.device_uid AND m.rule_id IS NOT DISTINCT FROM a.rule_id
  AND a.certificate_id IS NULL)`;

/** SQL: the least id of an anomaly that opened within an hour of one before `a`: ids sort by time. */
const AN_HOUR_BEFORE: RawBuilder<string> = sql`rpad(lpad(to_hex(
  floor(extract(epoch FROM a.opened_at - interval '150 minutes') * 1000)::bigint), 12, '0'), 32, '0')::uuid`;

/** Reads the snoozes, mutes and earlier openings of these anomalies. */
export async function readAside(tx: Tx, anomalyIds: readonly string[], now: Date): Promise<AsideRow[]> {
  const { rows } = await sql<AsideRow & { openings: string[] }>`
    SELECT a.id AS "anomalyId", s.until AS "snoozedUntil", m.until AS "mutedUntil", t.flaps_above AS "flapsAbove",
           to_jsonb(ARRAY(SELECT o.opened_at FROM shared_anomalies o
             WHERE o.tenant_id = a.tenant_id AND o.device_id = a.device_id AND o.device_uid = a.device_uid
               AND o.rule_id IS NOT DISTINCT FROM a.rule_id AND o.certificate_id IS NOT DISTINCT FROM a.certificate_id
               AND o.id BETWEEN ${AN_HOUR_BEFORE} AND a.id
             ORDER BY o.id DESC LIMIT t.flaps_above + 2)) AS openings
      FROM shared_anomalies a JOIN shared_tenants t ON t.id = a.tenant_id
      LEFT JOIN anomaly_snoozes s ON s.anomaly_id = a.id AND s.until > ${now}
      LEFT JOIN rule_mutes m ON ${concerns} AND m.until > ${now}
     WHERE a.id = ANY (${[...anomalyIds]}::uuid[])`.execute(tx);
  return rows.map((row) => ({ ...row, openings: row.openings.map((text) => new Date(text)) }));
}

/** The part of an anomaly on which setting it aside depends. */
export interface AsideAnomaly {
  id: string;
  status: "open" | "acknowledged" | "resolved";
  isLostRenewal: boolean;
}

/** Finds an anomaly whose device `viewer` may see. */
export async function findAsideAnomaly(
  db: Db,
  tenantId: string,
  id: string,
  viewer: Viewer,
): Promise<AsideAnomaly | undefined> {
  const { rows } = await sql<AsideAnomaly>`
    SELECT a.id, a.status, a.certificate_id IS NOT NULL AS "isLostRenewal" FROM shared_anomalies a
     WHERE a.tenant_id = ${tenantId} AND a.id = ${id} AND ${visibleDevice(viewer, "a.device_uid")}`.execute(db);
  return rows[0];
}

/** The times until which an anomaly is snoozed and its rule muted on its device; `null` if it is not. */
export interface Aside {
  snoozedUntil: Date | null;
  mutedUntil: Date | null;
}

export async function readAsideOf(db: Db, anomalyId: string, now: Date): Promise<Aside> {
  const { rows } = await sql<Aside>`
    SELECT s.until AS "snoozedUntil", m.until AS "mutedUntil" FROM shared_anomalies a
      LEFT JOIN anomaly_snoozes s ON s.anomaly_id = a.id AND s.until > ${now}
      LEFT JOIN rule_mutes m ON ${concerns} AND m.until > ${now}
     WHERE a.id = ${anomalyId}`.execute(db);
  return rows[0]!;
}

/** Snoozes an anomaly until a time, or ends its snooze. */
export async function setSnooze(tx: Tx, anomalyId: string, until: Date | null, by: string): Promise<void> {
  if (until === null) await sql`DELETE FROM anomaly_snoozes WHERE anomaly_id = ${anomalyId}`.execute(tx);
  else
    await sql`
      INSERT INTO anomaly_snoozes (anomaly_id, tenant_id, until, created_by)
      SELECT id, tenant_id, ${until}, ${by} FROM shared_anomalies WHERE id = ${anomalyId}
      ON CONFLICT (anomaly_id) DO UPDATE SET until = excluded.until, created_by = excluded.created_by`.execute(tx);
}

/** Mutes the rule of an anomaly on its device until a time, or ends the mute. */
export async function setMute(tx: Tx, anomalyId: string, until: Date | null, by: string): Promise<void> {
  if (until === null)
    await sql`DELETE FROM rule_mutes m USING shared_anomalies a WHERE a.id = ${anomalyId} AND ${concerns}`.execute(tx);
  else
    await sql`
      INSERT INTO rule_mutes (tenant_id, device_uid, rule_id, until, created_by)
      SELECT tenant_id, device_uid, rule_id, ${until}, ${by} FROM shared_anomalies WHERE id = ${anomalyId}
      ON CONFLICT (device_uid, rule_id) DO UPDATE SET until = excluded.until, created_by = excluded.created_by`.execute(
      tx,
    );
}

/** Makes every step of an open anomaly due again, the first at `at`, also those that were paged. */
export async function restartSteps(tx: Tx, anomalyId: string, at: Date): Promise<void> {
  await sql`
    UPDATE pages p SET due_at = ${at}::timestamptz + make_interval(mins => p.after_minutes - f.first), state = 'due',
           held_by = 'snooze', round = p.round + (p.state <> 'due')::int
      FROM (SELECT group_id, min(after_minutes) AS first FROM pages WHERE anomaly_id = ${anomalyId} GROUP BY group_id) f
     WHERE p.anomaly_id = ${anomalyId} AND p.group_id = f.group_id
       AND p.state IN ('due', 'paged', 'nobody', 'deferred')`.execute(tx);
}

/** Deletes up to `limit` snoozes and as many mutes that have ended. @returns their number */
export async function deleteEndedAside(db: Db, now: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    WITH snoozes AS (DELETE FROM anomaly_snoozes WHERE anomaly_id = ANY (ARRAY(
      SELECT anomaly_id FROM anomaly_snoozes WHERE until <= ${now} ORDER BY until LIMIT ${limit})) RETURNING 1),
    mutes AS (DELETE FROM rule_mutes WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM rule_mutes WHERE until <= ${now} ORDER BY until LIMIT ${limit})) RETURNING 1)
    SELECT 1 FROM snoozes UNION ALL SELECT 1 FROM mutes`.execute(db);
  return rows.length;
}
