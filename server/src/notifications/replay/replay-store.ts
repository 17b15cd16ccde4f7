import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { addMs, DAY, HOUR } from "../../lib/clock.ts";
import { uuidFloor } from "../../lib/ids.ts";
import { isSilence } from "../holds/silence-store.ts";
import type { Person } from "../roster/roster.ts";
import { ACTIVE } from "../roster/roster-store.ts";

/** A past anomaly of a device of the group. */
export interface PastAnomaly {
  id: string;
  deviceId: string;
  deviceName: string;
  severity: string;
  openedAt: Date;
  /** The time at which it was acknowledged or resolved, whichever came first; `null` if neither has happened. */
  endedAt: Date | null;
  isSilence: boolean;
  /** Identifies what opens it: a rule on the device, its silence, or a certificate that was not renewed. */
  source: string;
  /** The outage that its device was part of. */
  outageId: string | null;
}

/** The settings of the tenant that hold pages back. */
export interface HoldSettings {
  causeWaitMinutes: number;
  /** The limit of openings an hour beyond which a rule flaps; 0 for none. */
  flapsAbove: number;
}

/** An anomaly's id may have been drawn this long before its time. */
const DRAWN_BEFORE_MS = HOUR;
/** An anomaly that is detected late has an id drawn at most this long after its time. */
const DRAWN_AFTER_MS = DAY;

/** Reads up to `limit` anomalies of the group's devices that opened in [`from`, `to`), oldest first. */
export async function readPastAnomalies(
  db: Db,
  { tenantId, groupId }: { tenantId: string; groupId: string },
  { from, to }: { from: Date; to: Date },
  limit: number,
): Promise<PastAnomaly[]> {
  const { rows } = await sql<PastAnomaly>`
    SELECT a.id, a.device_id AS "deviceId", d.name AS "deviceName", a.severity, a.opened_at AS "openedAt",
           least(a.acknowledged_at, a.resolved_at) AS "endedAt", ${isSilence("a")} AS "isSilence",
           concat_ws(' ', a.device_uid, a.rule_id, a.certificate_id) AS source, o.outage_id AS "outageId"
      FROM shared_anomalies a
      JOIN shared_device_groups g ON g.device_uid = a.device_uid AND g.group_id = ${groupId}::uuid
      JOIN shared_groups p ON p.id = g.group_id AND (a.certificate_id IS NULL OR p.pages_lost_renewals)
      JOIN shared_devices d ON d.uid = a.device_uid
      LEFT JOIN outage_anomalies o ON o.anomaly_id = a.id
     WHERE a.tenant_id = ${tenantId}::uuid AND a.opened_at >= ${from} AND a.opened_at < ${to}
       AND a.id >= ${uuidFloor(addMs(from, -DRAWN_BEFORE_MS))}::uuid
       AND a.id < ${uuidFloor(addMs(to, DRAWN_AFTER_MS))}::uuid
     ORDER BY a.opened_at, a.id LIMIT ${limit}`.execute(db);
  return rows;
}

export async function readHoldSettings(db: Db, tenantId: string): Promise<HoldSettings> {
  const { rows } = await sql<HoldSettings>`
    SELECT cause_wait_minutes AS "causeWaitMinutes", flaps_above AS "flapsAbove"
      FROM shared_tenants WHERE id = ${tenantId}`.execute(db);
  return rows[0]!;
}

/** Returns the active users of the tenant among `ids`, by id. */
export async function readActive(db: Db, tenantId: string, ids: readonly string[]): Promise<Map<string, Person>> {
  const { rows } = await sql<Person>`
    SELECT u.id, u.email FROM shared_users u
     WHERE u.tenant_id = ${tenantId} AND u.id = ANY (${[...ids]}::uuid[]) AND ${ACTIVE}`.execute(db);
  return new Map(rows.map((person) => [person.id, person]));
}
