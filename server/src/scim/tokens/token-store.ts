import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";

export interface TokenRow {
  id: string;
  created_at: Date;
  created_by: string;
  last_used_at: Date | null;
  last_used_address: string | null;
}

/** Replaces the token of the tenant. @returns the former one's id */
export async function replaceToken(
  tx: Tx,
  tenantId: string,
  token: { id: string; hash: Buffer; createdBy: string; now: Date },
): Promise<string | undefined> {
  const former = await deleteToken(tx, tenantId);
  await tx
    .insertInto("scim_tokens")
    .values({
      tenant_id: tenantId,
      id: token.id,
      token_sha256: token.hash,
      created_at: token.now,
      created_by: token.createdBy,
    })
    .execute();
  return former;
}

/** Deletes the token of the tenant, if it has this id. @returns the id of the deleted token */
export async function deleteToken(tx: Tx, tenantId: string, id?: string): Promise<string | undefined> {
  const all = tx.deleteFrom("scim_tokens").where("tenant_id", "=", tenantId).returning("id");
  return (await (id === undefined ? all : all.where("id", "=", id)).executeTakeFirst())?.id;
}

export async function findToken(db: Db, tenantId: string): Promise<TokenRow | undefined> {
  const shown = ["id", "created_at", "created_by", "last_used_at", "last_used_address"] as const;
  return await db.selectFrom("scim_tokens").select(shown).where("tenant_id", "=", tenantId).executeTakeFirst();
}

/** Returns the token with this hash and its tenant. */
export async function findHolder(
  db: Db,
  hash: Buffer,
): Promise<{ id: string; tenantId: string; tenantSlug: string; lastUsedAt: Date | null } | undefined> {
  return await db
    .selectFrom("scim_tokens as s")
    .innerJoin("shared_tenants as t", "t.id", "s.tenant_id")
    .select(["s.id", "s.tenant_id as tenantId", "t.slug as tenantSlug", "s.last_used_at as lastUsedAt"])
    .where("s.token_sha256", "=", hash)
    .executeTakeFirst();
}

/** Records a use; the time never moves backwards. */
export async function recordTokenUse(db: Db, id: string, now: Date, address: string): Promise<void> {
  await sql`UPDATE scim_tokens SET last_used_at = ${now}, last_used_address = ${address}
    WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < ${now})`.execute(db);
}

/** Deletes every token of every tenant. @returns how many */
export async function deleteAllTokens(tx: Tx): Promise<number> {
  return (await tx.deleteFrom("scim_tokens").returning("id").execute()).length;
}
