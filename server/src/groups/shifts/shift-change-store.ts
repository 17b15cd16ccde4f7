import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { unlessTaken } from "../../db/refusal.ts";
import type { Rotation } from "./rotation.ts";
import type { ShiftTimes } from "./shift-calendar.ts";
import { jsonOrNull } from "./shift-store.ts";

/** Locks the shift, which serializes changes to it. @returns whether the tenant has it */
export async function lockShift(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM shifts WHERE tenant_id = ${tenantId} AND id = ${id} FOR NO KEY UPDATE`.execute(tx);
  return rows.length > 0;
}

/** Fires `shifts_release_deferred`. */
export async function updateShiftRow(
  tx: Tx,
  tenantId: string,
  id: string,
  shift: ShiftTimes & { name: string; externalId: string | null; layer: number; rotation: Rotation | null },
  now: Date,
): Promise<void> {
  const update = tx
    .updateTable("shifts")
    .set({
      name: shift.name,
      external_id: shift.externalId,
      time_zone: shift.timeZone,
      start_time: shift.startTime,
      end_time: shift.endTime,
      days_of_week: [...shift.daysOfWeek],
      valid_from: shift.validFrom,
      valid_until: shift.validUntil,
      layer: shift.layer,
      rotation: jsonOrNull(shift.rotation),
      updated_at: now,
    })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id);
  await unlessTaken("shifts_external_id", shift.externalId, () => update.execute());
}

/**
 * Replaces the users of the shift by those of `userIds` that are users of the tenant. Fires
 * `shift_users_release_deferred`.
 *
 * @returns the users of the shift
 */
export async function setShiftUsers(
  tx: Tx,
  tenantId: string,
  shiftId: string,
  userIds: string[],
): Promise<Set<string>> {
  await sql`DELETE FROM shift_users
    WHERE shift_id = ${shiftId} AND NOT user_id = ANY (${userIds}::uuid[])`.execute(tx);
  const { rows } = await sql<{ user_id: string }>`
    WITH wanted AS (SELECT u.id, u.tenant_id FROM shared_users u
      WHERE u.tenant_id = ${tenantId} AND u.deleted_at IS NULL AND u.id = ANY (${userIds}::uuid[])),
    added AS (INSERT INTO shift_users (tenant_id, shift_id, user_id)
      SELECT tenant_id, ${shiftId}::uuid, id FROM wanted ON CONFLICT DO NOTHING)
    SELECT id AS user_id FROM wanted`.execute(tx);
  return new Set(rows.map((row) => row.user_id));
}

/** Deletes the shift, with its assignments to groups and users. */
export async function deleteShiftRow(tx: Tx, tenantId: string, id: string): Promise<void> {
  await sql`DELETE FROM shifts WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(tx);
}
