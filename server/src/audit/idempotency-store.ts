import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import type { Pruned } from "../db/prune.ts";
import type { IdempotencyKeysTable } from "../db/schema.generated.ts";
import { runStatement, statement } from "../db/statement.ts";

export type StoredRequest = Pick<
  IdempotencyKeysTable,
  "operation" | "request_sha256" | "resource_id" | "answer" | "at"
>;

/**
 * Reserves the idempotency key for the request of this transaction; a key from before `since` is available again. Waits
 * for another transaction that is reserving it.
 *
 * @returns false when the key is already reserved
 */
export async function reserveKey(tx: Tx, row: Omit<IdempotencyKeysTable, "answer">, since: Date): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO idempotency_keys AS k (key_id, idempotency_key, operation, request_sha256, resource_id, at)
    VALUES (${row.key_id}, ${row.idempotency_key}, ${row.operation}, ${row.request_sha256}, ${row.resource_id}, ${row.at})
    ON CONFLICT (key_id, idempotency_key) DO UPDATE SET operation = excluded.operation,
      request_sha256 = excluded.request_sha256, resource_id = excluded.resource_id, at = excluded.at, answer = NULL
      WHERE k.at <= ${since}
    RETURNING 1`.execute(tx);
  return rows.length === 1;
}

/** Returns the request that reserved this key after `since`. */
export async function findRequest(
  db: Db,
  keyId: string,
  idempotencyKey: string,
  since: Date,
): Promise<StoredRequest | undefined> {
  return db
    .selectFrom("idempotency_keys")
    .select(["operation", "request_sha256", "resource_id", "answer", "at"])
    .where("key_id", "=", keyId)
    .where("idempotency_key", "=", idempotencyKey)
    .where("at", ">", since)
    .executeTakeFirst();
}

export async function storeAnswer(db: Db, keyId: string, idempotencyKey: string, answer: string): Promise<void> {
  await db
    .updateTable("idempotency_keys")
    .set({ answer })
    .where("key_id", "=", keyId)
    .where("idempotency_key", "=", idempotencyKey)
    .execute();
}

/** Deletes at most `limit` keys from `from` up to `before`, except rows that are being reserved again or deleted. */
export async function deleteKeys(db: Db, range: { from: Date; before: Date; limit: number }): Promise<Pruned<Date>> {
  const [pruned] = await runStatement(db, deleteOldKeys, range);
  return pruned!;
}

const deleteOldKeys = statement<{ from: Date; before: Date; limit: number }, Pruned<Date>>(
  "delete-old-idempotency-keys",
  (p) => sql`
    WITH deleted AS (
      DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM idempotency_keys WHERE at >= ${p.from}::timestamptz AND at <= ${p.before}::timestamptz
         ORDER BY at LIMIT ${p.limit}::int FOR UPDATE SKIP LOCKED))
      RETURNING at)
    SELECT count(*)::int AS rows, max(at) AS last FROM deleted`,
);
