import { sql } from "kysely";

// A device's row stores when its connection was last opened or closed. Telemetry stores the time of the last message in
// a separate row, which every message updates.

/** SQL: joins the row that {@link lastSeenAt} reads to the devices `d`. */
export const withLastSeen = sql`LEFT JOIN shared_device_latest seen ON seen.device_uid = d.uid`;

/** SQL: the time when the device was last seen. */
export const lastSeenAt = sql<Date | null>`greatest(d.last_seen_at, seen.seen_at)`;
