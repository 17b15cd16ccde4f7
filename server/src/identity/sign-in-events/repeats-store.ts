import { type Selectable, sql } from "kysely";
import { hasEmail } from "../../access/access.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { SignInRepeatsTable, UsersTable } from "../../db/schema.generated.ts";

/** Counted failures of one account, address block and cause. */
export type RepeatsRow = Selectable<SignInRepeatsTable>;

export type Account = Pick<Selectable<UsersTable>, "id" | "tenant_id" | "email" | "status">;

/** Returns the account with this address, also a deactivated one. */
export async function findAccount(db: Db, email: string): Promise<Account | undefined> {
  const columns = ["id", "tenant_id", "email", "status"] as const;
  const found = db.selectFrom("shared_users").select(columns).where("deleted_at", "is", null);
  return await found.where(hasEmail("email", email)).executeTakeFirst();
}

/** Adds failures to the row that counts such ones. @returns false when there is none */
export async function addRepeats(tx: Tx, row: Omit<RepeatsRow, "until">): Promise<boolean> {
  const { rows } = await sql`
    UPDATE sign_in_repeats SET times = times + ${row.times}, last_at = greatest(last_at, ${row.last_at}::timestamptz),
           first_at = CASE WHEN times = 0 THEN ${row.first_at}::timestamptz ELSE first_at END
     WHERE tenant_id IS NOT DISTINCT FROM ${row.tenant_id}::uuid AND user_id IS NOT DISTINCT FROM ${row.user_id}::uuid
       AND address_block = ${row.address_block} AND cause = ${row.cause} RETURNING times`.execute(tx);
  return rows.length > 0;
}

/** Returns the number of rows that count failures of a tenant; of unknown accounts for `null`. */
export async function countRepeats(db: Db, tenantId: string | null): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    SELECT count(*)::int AS rows FROM sign_in_repeats WHERE tenant_id IS NOT DISTINCT FROM ${tenantId}::uuid`.execute(
    db,
  );
  return rows[0]!.rows;
}

/** Adds a row. @returns false when another process has added it */
export async function beginRepeats(tx: Tx, row: RepeatsRow): Promise<boolean> {
  const inserted = tx
    .insertInto("sign_in_repeats")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning("times");
  return (await inserted.execute()).length === 1;
}

/** Deletes and returns at most `limit` rows that ended before `now`. */
export async function takeEndedRepeats(tx: Tx, now: Date, limit: number): Promise<RepeatsRow[]> {
  const { rows } = await sql<RepeatsRow>`
    DELETE FROM sign_in_repeats WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM sign_in_repeats WHERE until <= ${now}::timestamptz ORDER BY until LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING *`.execute(tx);
  return rows;
}
