import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** The channel on which processes notify each other of the requests that they have admitted. */
export const CHANNEL = "muster_requests";

/**
 * Sends a notification in its own commit with `synchronous_commit` off, because other notifying commits wait for it.
 * @param payload fewer than 8,000 bytes
 */
export async function notifyAdmitted(db: Db, payload: string): Promise<void> {
  await sql`SELECT set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, ${payload})`.execute(db);
}
