import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import type { HeldBy, HeldStep } from "./hold.ts";

/** Puts off the due steps of a group's escalation, from the held one on, keeping their distances. */
export async function putOff(tx: Tx, held: readonly HeldStep[]): Promise<void> {
  if (held.length === 0) return;
  await sql`
    UPDATE pages p SET due_at = h.until + make_interval(mins => p.after_minutes - h.after_minutes), held_by = h.held_by
      FROM unnest(${held.map((step) => step.anomaly_id)}::uuid[], ${held.map((step) => step.group_id)}::uuid[],
                  ${held.map((step) => step.after_minutes)}::integer[], ${held.map(({ hold }) => hold.until)}::timestamptz[],
                  ${held.map(({ hold }) => hold.by)}::text[]) AS h (anomaly_id, group_id, after_minutes, until, held_by)
     WHERE p.anomaly_id = h.anomaly_id AND p.group_id = h.group_id AND p.after_minutes >= h.after_minutes
       AND p.state = 'due'`.execute(tx);
}

/** Makes the tenant's steps that `by` held back due: the first of each group now, later ones at their distance. */
export async function releaseHeld(tx: Tx, tenantId: string, by: HeldBy, now: Date): Promise<void> {
  await sql`
    UPDATE pages p SET due_at = ${now}::timestamptz + make_interval(mins => p.after_minutes - f.first)
      FROM (SELECT anomaly_id, group_id, min(after_minutes) AS first FROM pages
             WHERE tenant_id = ${tenantId} AND state = 'due' AND held_by = ${by} GROUP BY anomaly_id, group_id) f
     WHERE p.anomaly_id = f.anomaly_id AND p.group_id = f.group_id AND p.state = 'due'`.execute(tx);
}

/**
 * Waits until no process is turning the tenant's due pages into messages, and keeps all from doing so until the
 * transaction ends. A change of what holds pages back therefore sees every page that was held back before it.
 */
export async function lockPaging(tx: Tx, tenantId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`pages ${tenantId}`}, 0))`.execute(tx);
}
