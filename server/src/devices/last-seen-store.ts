import { sql } from "kysely";

// The row of a device says when its connection was opened or closed last. When its last message came, telemetry says in a row of its own,
// which every message changes.

/** SQL: joins what {@link lastSeenAt} reads to the devices `d`. */
export const withLastSeen = sql`LEFT JOIN shared_device_latest seen ON seen.device_uid = d.uid`;

/** SQL: when the device was seen last. */
export const lastSeenAt = sql<Date | null>`greatest(d.last_seen_at, seen.seen_at)`;
