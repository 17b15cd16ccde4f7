import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { ChannelKind } from "../../groups/groups.ts";
import type { QuietChoices } from "../quiet.ts";

/** A user's notification choices. */
export interface NotificationChoices extends QuietChoices {
  /** Whether messages go to the address with which the user signs in. They always do if no other channel is in use. */
  accountEmail: boolean;
}

/** A user's choices, and the channels in use. */
export interface PersonRow extends NotificationChoices {
  user_id: string;
  email: string;
  channels: { type: ChannelKind; target: string; failing: boolean }[];
}

const CHOICES = sql`coalesce(n.account_email, true) AS "accountEmail",
  CASE WHEN n.quiet_start IS NOT NULL THEN
    jsonb_build_object('startTime', n.quiet_start, 'endTime', n.quiet_end, 'timeZone', n.quiet_zone) END AS "quietHours",
  coalesce(n.only_on_shift, false) AS "onlyOnShift", coalesce(n.critical_too, false) AS "criticalToo"`;

/** Reads users by id, with the channels that are confirmed and have not answered 410. */
export async function readPeople(db: Db, userIds: readonly string[]): Promise<Map<string, PersonRow>> {
  const ids = [...new Set(userIds)];
  if (ids.length === 0) return new Map();
  const { rows } = await sql<PersonRow>`
    SELECT u.id AS user_id, u.email, ${CHOICES}, (
      SELECT coalesce(jsonb_agg(jsonb_build_object('type', c.type, 'target', c.target,
                'failing', a.failing_since IS NOT NULL) ORDER BY c.id), '[]')
        FROM user_channels c
        JOIN channel_addresses a ON a.tenant_id = c.tenant_id AND a.type = c.type AND a.key = c.key
       WHERE c.user_id = u.id AND a.confirmed_at IS NOT NULL AND c.disabled_at IS NULL) AS channels
      FROM shared_users u LEFT JOIN user_notifications n ON n.user_id = u.id
     WHERE u.id = ANY (${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.user_id, row]));
}
