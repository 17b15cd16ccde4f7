import { sql } from "kysely";

// The row of a device has the time at which its connection was last opened or closed. Telemetry has a separate row per
// device with the time of the last message, because every message updates it.

/** SQL: joins the row that {@link lastSeenAt} reads to the devices `d`. */
export const withLastSeen = sql`LEFT JOIN shared_device_latest seen ON seen.device_uid = d.uid`;

/** SQL: the time when the device was last seen. */
export const lastSeenAt = sql<Date | null>`greatest(d.last_seen_at, seen.seen_at)`;
