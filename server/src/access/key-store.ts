import { type Insertable, type Selectable, sql } from "kysely";
import { type Db, runPrepared, type Tx } from "../db/database.ts";
import type { ApiKeysTable, Schema } from "../db/schema.ts";

export type DeathReason = NonNullable<ApiKeysTable["revocation_reason"]>;

/** A key as its tenant may see it: without its secret's hash; `email` is its creator's. */
export type KeyRow = Omit<Selectable<ApiKeysTable>, "tenant_id" | "user_id" | "secret_hash"> & { email: string };

/** Every key the tenant ever had, newest first. */
export async function listKeyRows(db: Db, tenantId: string): Promise<KeyRow[]> {
  return await db
    .selectFrom("api_keys as k")
    .innerJoin("users as u", "u.id", "k.user_id")
    .select(["k.id", "k.name", "k.scopes", "u.email", "k.created_at", "k.expires_at", "k.last_used_at"])
    .select(["k.last_used_address", "k.revoked_at", "k.revoked_by", "k.revocation_reason"])
    .where("k.tenant_id", "=", tenantId)
    .orderBy("k.created_at", "desc")
    .orderBy("k.id")
    .execute();
}

/** @returns false when the id is taken: draw another */
export async function insertKey(tx: Tx, key: Insertable<Schema["api_keys"]>): Promise<boolean> {
  const inserted = await tx
    .insertInto("api_keys")
    .values({ ...key, scopes: sql`${key.scopes}::text[]` })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted !== undefined;
}

/** @returns false when there is no key of this id; a key that is dead already keeps its first reason */
export async function revokeKeyById(db: Db, id: string, by: string, now: Date): Promise<boolean> {
  const updated = await db
    .updateTable("api_keys")
    .set({ revoked_at: now, revoked_by: by, revocation_reason: "requested" })
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  if (updated.numUpdatedRows > 0n) return true;
  return (await db.selectFrom("api_keys").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
}

/** Revokes every key of every tenant that is not yet revoked. */
export async function revokeAllKeys(tx: Tx, by: string, now: Date): Promise<void> {
  await tx
    .updateTable("api_keys")
    .set({ revoked_at: now, revoked_by: by, revocation_reason: "requested" })
    .where("revoked_at", "is", null)
    .execute();
}

/** Kills every key of `userId`, in the transaction that changes the user. */
export async function killKeysOf(tx: Tx, userId: string, reason: DeathReason, by: string, now: Date): Promise<void> {
  await tx
    .updateTable("api_keys")
    .set({ revoked_at: now, revoked_by: by, revocation_reason: reason })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .execute();
}

/** Notes a use, never moving the time backwards. */
export async function noteUse(db: Db, id: string, now: Date, address: string): Promise<void> {
  await runPrepared(db, "note-key-use", NOTE_USE, [id, now, address]);
}

const NOTE_USE = `
UPDATE api_keys SET last_used_at = $2, last_used_address = $3
 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2) RETURNING commit_later()`;
