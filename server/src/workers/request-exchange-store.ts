import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** On which processes notify each other of what they have admitted. */
export const CHANNEL = "muster_requests";

/** In a commit of its own that waits for no disk: other commits that notify wait for it. @param payload fewer than 8,000 bytes */
export async function notifyAdmitted(db: Db, payload: string): Promise<void> {
  await sql`SELECT set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, ${payload})`.execute(db);
}
