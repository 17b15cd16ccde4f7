import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** The newest entry of each audit, if any: audits only grow, so every later state of a database has them. */
export interface NewestEntries {
  adminAct: string | null;
  certificate: string | null;
  apiWrite: string | null;
}

/** @param before leaves out entries from this time on; by default all entries count */
export async function newestEntries(db: Db, before?: Date): Promise<NewestEntries> {
  const until = before ?? "infinity";
  const { rows } = await sql<NewestEntries>`
    SELECT (SELECT id FROM admin_audit WHERE at < ${until}::timestamptz ORDER BY id DESC LIMIT 1) AS "adminAct",
           (SELECT id FROM certificate_audit WHERE at < ${until}::timestamptz ORDER BY seq DESC LIMIT 1) AS certificate,
           (SELECT id FROM api_audit WHERE at < ${until}::timestamptz ORDER BY id DESC LIMIT 1) AS "apiWrite"`.execute(
    db,
  );
  return rows[0]!;
}

/**
 * Returns when the acts `act` at the end of the administrative audit began; `undefined` if its last entry is another
 * act.
 */
export async function beginOfLastActs(db: Db, act: string): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date }>`
    WITH other AS (SELECT id FROM admin_audit WHERE act <> ${act} ORDER BY id DESC LIMIT 1)
    SELECT at FROM admin_audit WHERE act = ${act} AND NOT EXISTS (SELECT FROM other WHERE other.id > admin_audit.id)
     ORDER BY id LIMIT 1`.execute(db);
  return rows[0]?.at;
}

/** Returns whether the database has all of these entries; `false` if there is none to recognize it by. */
export async function hasEntries(db: Db, { adminAct, certificate, apiWrite }: NewestEntries): Promise<boolean> {
  if (adminAct === null && certificate === null && apiWrite === null) return false;
  const { rows } = await sql<{ all: boolean }>`
    SELECT (${adminAct}::uuid IS NULL OR EXISTS (SELECT FROM admin_audit WHERE id = ${adminAct}::uuid))
       AND (${certificate}::uuid IS NULL OR EXISTS (SELECT FROM certificate_audit WHERE id = ${certificate}::uuid))
       AND (${apiWrite}::uuid IS NULL OR EXISTS (SELECT FROM api_audit WHERE id = ${apiWrite}::uuid)) AS "all"`.execute(
    db,
  );
  return rows[0]!.all;
}
