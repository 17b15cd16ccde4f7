import { sql } from "kysely";
import type { Db } from "../db/database.ts";

export interface RefusalRow {
  id: string;
  tenant_id: string | null;
  at: Date;
  reason: string;
  client_id: string | null;
  device_id: string | null;
  serial_number: string | null;
  fingerprint_sha256: string | null;
  remote_address: string | null;
  topic: string | null;
}

export async function insertRefusals(db: Db, rows: RefusalRow[]): Promise<void> {
  await db.insertInto("connection_refusals").values(rows).execute();
}

/** Deletes all but the newest `limit` of each tenant (and of no tenant), and those older than `before`. */
export async function pruneRefusals(db: Db, limit: number, before: Date): Promise<void> {
  await sql`
    DELETE FROM connection_refusals r USING (
      SELECT id, at, row_number() OVER (PARTITION BY tenant_id ORDER BY at DESC, id DESC) AS place
        FROM connection_refusals
    ) ranked WHERE r.id = ranked.id AND (ranked.place > ${limit} OR ranked.at < ${before})`.execute(db);
}

export async function listRefusalRows(
  db: Db,
  tenantId: string,
  skip: number,
  limit: number,
): Promise<{ rows: RefusalRow[]; total: number }> {
  const rows = await db
    .selectFrom("connection_refusals")
    .selectAll()
    .where("tenant_id", "=", tenantId)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .offset(skip)
    .limit(limit)
    .execute();
  const count = await db
    .selectFrom("connection_refusals")
    .select((eb) => eb.fn.countAll<string>().as("total"))
    .where("tenant_id", "=", tenantId)
    .executeTakeFirstOrThrow();
  return { rows, total: Number(count.total) };
}
