import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { SENT_IN, type TestRow, testRow } from "./group-test-store.ts";

/** Counts the test messages that the user has sent since `since`. */
export async function countOwnTests(tx: Tx, userId: string, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM deliveries
     WHERE user_id = ${userId} AND type = 'user.test' AND created_at > ${since}`.execute(tx);
  return rows[0]!.count;
}

/** Lists the newest test messages of the user. */
export async function listOwnTestRows(db: Db, tenantId: string, userId: string, limit: number): Promise<TestRow[]> {
  const { rows } = await sql<TestRow>`
    SELECT ${testRow(userId)} FROM deliveries d ${SENT_IN}
     WHERE d.tenant_id = ${tenantId} AND d.user_id = ${userId} AND d.type = 'user.test'
     ORDER BY d.id DESC LIMIT ${limit}`.execute(db);
  return rows;
}
