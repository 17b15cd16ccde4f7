import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** The newest entry of each audit, where there is one: audits only grow, so every later state of a database has them. */
export interface NewestEntries {
  adminAct: string | null;
  certificate: string | null;
  apiWrite: string | null;
}

export async function newestEntries(db: Db): Promise<NewestEntries> {
  const { rows } = await sql<NewestEntries>`
    SELECT (SELECT id FROM admin_audit ORDER BY id DESC LIMIT 1) AS "adminAct",
           (SELECT id FROM certificate_audit ORDER BY seq DESC LIMIT 1) AS certificate,
           (SELECT id FROM api_audit ORDER BY id DESC LIMIT 1) AS "apiWrite"`.execute(db);
  return rows[0]!;
}

/** Whether the database has all of these entries. */
export async function hasEntries(db: Db, { adminAct, certificate, apiWrite }: NewestEntries): Promise<boolean> {
  const { rows } = await sql<{ all: boolean }>`
    SELECT (${adminAct}::uuid IS NULL OR EXISTS (SELECT FROM admin_audit WHERE id = ${adminAct}::uuid))
       AND (${certificate}::uuid IS NULL OR EXISTS (SELECT FROM certificate_audit WHERE id = ${certificate}::uuid))
       AND (${apiWrite}::uuid IS NULL OR EXISTS (SELECT FROM api_audit WHERE id = ${apiWrite}::uuid)) AS "all"`.execute(
    db,
  );
  return rows[0]!.all;
}
