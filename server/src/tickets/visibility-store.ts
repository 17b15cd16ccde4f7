import { type RawBuilder, sql } from "kysely";

/** Whether a user (undefined: a caller who sees all) sees the device whose uid is in `column`: it is in a group of theirs. */
export function seesDevice(userId: string | undefined, column: RawBuilder<unknown>): RawBuilder<unknown> {
  if (userId === undefined) return sql`true`;
  return sql`EXISTS (SELECT 1 FROM device_groups g JOIN group_members m ON m.group_id = g.group_id
    WHERE g.device_uid = ${column} AND m.user_id = ${userId}::uuid)`;
}

/**
 * Whether a user (undefined: a caller who sees all) sees the ticket `t`: they opened it, it is assigned to them or to a
 * group of theirs, or they see its device (docs/spec-decisions.md, Tickets).
 */
export function seesTicket(userId: string | undefined): RawBuilder<unknown> {
  if (userId === undefined) return sql`true`;
  return sql`(t.created_by = ${`user:${userId}`} OR t.assignee_user_id = ${userId}::uuid
    OR EXISTS (SELECT 1 FROM group_members m WHERE m.group_id = t.group_id AND m.user_id = ${userId}::uuid)
    OR ${seesDevice(userId, sql`t.device_uid`)})`;
}
