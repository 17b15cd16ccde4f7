import { sql } from "kysely";
import { openLostRenewals, resolveLostRenewals } from "../anomalies/anomalies.ts";
import { endingBundles, overdueRenewals } from "../certificates/certificates.ts";
import type { Db } from "../db/database.ts";
import { runStatement, statement } from "../db/statement.ts";

/** SQL: a group of the device of the certificate `c` is paged about lost renewals. */
const isPaged = sql`EXISTS (SELECT FROM shared_device_groups m JOIN shared_groups g ON g.id = m.group_id AND g.pages_lost_renewals
  WHERE m.device_uid = c.device_uid)`;

/** A certificate that was not renewed in time. */
export interface LostRenewal {
  certificateId: string;
  kind: "self_enrolled" | "platform";
  dueAt: Date;
  notAfter: Date;
}

const found = statement<{ now: Date; limit: number }, LostRenewal>(
  "lost-renewals",
  (p) => sql`
  SELECT c.id AS "certificateId", c.kind, c.due_at AS "dueAt", c.not_after AS "notAfter"
    FROM (${overdueRenewals(p.now)} UNION ALL ${endingBundles(p.now)}) c
   WHERE EXISTS (SELECT FROM shared_groups WHERE pages_lost_renewals) AND ${isPaged}
     AND NOT EXISTS (SELECT FROM shared_anomalies a WHERE a.certificate_id = c.id)
   LIMIT ${p.limit}::integer`,
);

/** Finds up to `limit` lost renewals that a group is paged about and that never had an anomaly. */
export async function findLostRenewals(db: Db, now: Date, limit: number): Promise<LostRenewal[]> {
  return await runStatement(db, found, { now, limit });
}

/** An anomaly to open for a certificate. `id` is the anomaly's; times are ISO 8601. */
export interface LostRenewalRow {
  id: string;
  certificate_id: string;
  value: string;
  breached: string;
  severity: "major" | "minor";
  message: string;
}

const opened = statement<{ now: Date; rows: string }, never>("open-lost-renewals", (p) =>
  openLostRenewals(
    sql`SELECT o.id, c.tenant_id, c.device_uid, c.device_id, NULL::uuid AS threshold_id, NULL::uuid AS rule_id, NULL::text AS metric,
             to_jsonb(o.value) AS value, to_jsonb(o.breached) AS breached, o.severity, o.message, 1 AS occurrences,
             c.id AS certificate_id
        FROM jsonb_to_recordset(${p.rows}::text::jsonb)
             AS o (id uuid, certificate_id uuid, value text, breached text, severity text, message text)
        JOIN shared_certificates s ON s.id = o.certificate_id
        CROSS JOIN LATERAL (SELECT * FROM (${overdueRenewals(p.now)} UNION ALL ${endingBundles(p.now)}) u WHERE u.id = s.id) c
       WHERE ${isPaged}`,
    p.now,
  ),
);

/**
 * Opens anomalies for those of `rows` that are still lost renewals. If two processes do so concurrently, the unique
 * index admits one.
 */
export async function openLostRenewalAnomalies(db: Db, rows: readonly LostRenewalRow[], now: Date): Promise<void> {
  await runStatement(db, opened, { now, rows: JSON.stringify(rows) });
}

const ended = statement<{ now: Date }, never>("resolve-lost-renewals", (p) =>
  resolveLostRenewals(
    sql`SELECT c.id AS certificate_id,
             CASE WHEN c.revoked_at IS NULL AND d.certificate_until = c.not_after THEN 'renewals_not_paged' END AS end_reason
        FROM shared_anomalies s JOIN shared_certificates c ON c.id = s.certificate_id JOIN shared_devices d ON d.uid = c.device_uid
       WHERE s.resolved_at IS NULL AND s.certificate_id IS NOT NULL
         AND (c.revoked_at IS NOT NULL OR d.certificate_until > c.not_after OR NOT ${isPaged})`,
    p.now,
  ),
);

/** Resolves the anomalies of certificates that were replaced or revoked, or that no group is paged about any more. */
export async function resolveLostRenewalAnomalies(db: Db, now: Date): Promise<void> {
  await runStatement(db, ended, { now });
}
