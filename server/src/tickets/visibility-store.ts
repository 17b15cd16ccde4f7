import { type RawBuilder, sql } from "kysely";
import { visibleDevice } from "../access/access.ts";

/**
 * SQL: `viewer` (a user; undefined for a caller who sees every ticket) may see the ticket `t`. They opened it, it is
 * assigned to them or one of their groups, or they may see its device (docs/spec-decisions.md, Tickets).
 */
export function visibleTicket(viewer: string | undefined): RawBuilder<unknown> {
  if (viewer === undefined) return sql`true`;
  return sql`(t.created_by = ${`user:${viewer}`} OR t.assignee_user_id = ${viewer}::uuid
    OR EXISTS (SELECT FROM shared_group_members m WHERE m.group_id = t.group_id AND m.user_id = ${viewer}::uuid)
    OR ${visibleDevice(viewer, "t.device_uid")})`;
}
