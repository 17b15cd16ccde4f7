import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { Owner } from "./own-channel-store.ts";
import type { NotificationChoices } from "./person-store.ts";

export async function setChoices(
  db: Db,
  { tenantId, userId }: Owner,
  { accountEmail, quietHours, onlyOnShift, criticalToo }: NotificationChoices,
): Promise<void> {
  await sql`
    INSERT INTO user_notifications (user_id, tenant_id, account_email, quiet_start, quiet_end, quiet_zone, only_on_shift,
                                    critical_too)
    VALUES (${userId}, ${tenantId}, ${accountEmail}, ${quietHours?.startTime ?? null}, ${quietHours?.endTime ?? null},
            ${quietHours?.timeZone ?? null}, ${onlyOnShift}, ${criticalToo})
    ON CONFLICT (user_id) DO UPDATE SET account_email = excluded.account_email, quiet_start = excluded.quiet_start,
      quiet_end = excluded.quiet_end, quiet_zone = excluded.quiet_zone, only_on_shift = excluded.only_on_shift,
      critical_too = excluded.critical_too`.execute(db);
}
