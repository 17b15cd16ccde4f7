import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";

/** The kinds of timeline entries, as `<subject>.<event>`. */
export const TIMELINE_KINDS = [
  "device.online",
  "device.offline",
  "certificate.issued",
  "certificate.revoked",
  "anomaly.opened",
  "anomaly.resolved",
  "ticket.opened",
  "connection.refused",
  "finding.shared_key",
] as const;

export type TimelineKind = (typeof TIMELINE_KINDS)[number];

export interface TimelineRow {
  at: Date;
  kind: TimelineKind;
  /** The id of the certificate, anomaly, ticket or refusal; null for a connect or disconnect. */
  id: string | null;
  /** The serial number, message, title or reason. */
  text: string | null;
  actor: string | null;
}

/** The part of a kind before the dot. */
export type TimelineSubject = "device" | "certificate" | "anomaly" | "ticket" | "connection" | "finding";

/** Reads the newest `limit` entries of a device about these subjects before `before`. */
export async function readTimelineRows(
  db: Db,
  device: { tenantId: string; id: string },
  { before, limit, subjects }: { before: Date; limit: number; subjects: readonly TimelineSubject[] },
): Promise<TimelineRow[]> {
  const newest = (select: RawBuilder<unknown>) => sql`(SELECT * FROM (${select}) entries
    WHERE at < ${before}::timestamptz ORDER BY at DESC LIMIT ${limit}::int)`;
  const { rows } = await sql<TimelineRow>`
    WITH device AS (
      SELECT uid, tenant_id, id FROM shared_devices
       WHERE tenant_id = ${device.tenantId} AND id = ${device.id} AND deleted_at IS NULL
    )
    SELECT * FROM (${sql.join(subjects.flatMap((subject) => SOURCES[subject]).map(newest), sql` UNION ALL `)}) entries
     ORDER BY at DESC, kind, id LIMIT ${limit}::int`.execute(db);
  return rows;
}

/**
 * One SELECT per kind of record, each over the single row of `device`. Connects and disconnects are stored for 48
 * hours.
 */
const SOURCES: Readonly<Record<TimelineSubject, readonly RawBuilder<unknown>[]>> = {
  device: [
    sql`SELECT e.at, 'device.' || e.connectivity AS kind, NULL::uuid AS id, e.reason AS text, NULL::text AS actor
        FROM shared_connectivity_events e JOIN device ON e.device_uid = device.uid`,
  ],
  certificate: [
    sql`SELECT c.issued_at AS at, 'certificate.issued' AS kind, c.id, c.serial_number AS text, c.issued_by AS actor
        FROM shared_certificates c JOIN device ON c.device_uid = device.uid`,
    sql`SELECT c.revoked_at AS at, 'certificate.revoked' AS kind, c.id, c.serial_number || ' ' || c.revocation_reason AS text,
             c.revoked_by AS actor
        FROM shared_certificates c JOIN device ON c.device_uid = device.uid`,
  ],
  anomaly: [
    sql`SELECT a.opened_at AS at, 'anomaly.opened' AS kind, a.id, a.message AS text, NULL::text AS actor
        FROM shared_anomalies a JOIN device ON a.tenant_id = device.tenant_id AND a.device_id = device.id AND a.device_uid = device.uid`,
    sql`SELECT a.resolved_at AS at, 'anomaly.resolved' AS kind, a.id, a.message AS text, a.resolved_by AS actor
        FROM shared_anomalies a JOIN device ON a.tenant_id = device.tenant_id AND a.device_id = device.id AND a.device_uid = device.uid`,
  ],
  ticket: [
    sql`SELECT t.created_at AS at, 'ticket.opened' AS kind, t.id, t.title AS text, t.created_by AS actor
        FROM shared_tickets t JOIN device ON t.tenant_id = device.tenant_id AND t.device_id = device.id AND t.device_uid = device.uid`,
  ],
  connection: [
    sql`SELECT r.at, 'connection.refused' AS kind, r.id, r.reason AS text, NULL::text AS actor
        FROM shared_connection_refusals r JOIN device ON r.tenant_id = device.tenant_id AND r.device_id = device.id`,
  ],
  finding: [
    sql`SELECT f.at, 'finding.' || f.kind AS kind, f.certificate_id AS id, NULL::text AS text, NULL::text AS actor
        FROM shared_device_findings f JOIN device ON f.device_uid = device.uid`,
  ],
};
