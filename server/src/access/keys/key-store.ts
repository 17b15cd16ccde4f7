import { type Insertable, type RawBuilder, type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { ApiKeysTable, Schema } from "../../db/schema.generated.ts";
import { runStatement, statement } from "../../db/statement.ts";
import type { PageRequest } from "../../lib/page.ts";
import type { Counted } from "../../lists/shown.ts";
import { isPart, nextPart, type Walked } from "../../lists/walk.ts";
import type { Role } from "../caller.ts";

export type RevocationReason = NonNullable<ApiKeysTable["revocation_reason"]>;

/** A key without the hash of its secret; `owner` is the address or name of its owner, `replaced_by` its successor. */
export type KeyRow = Omit<Selectable<ApiKeysTable>, "tenant_id" | "secret_hash"> & {
  owner: string;
  /** The kind and role of its owner. */
  kind: "person" | "service";
  role: Role;
  replaced_by: string | null;
};

export interface KeyFilter {
  /** `active`: usable. `ended`: revoked or expired. */
  state?: "active" | "ended" | undefined;
  /** The owner of the keys. */
  userId?: string | undefined;
}

/** Returns one page of all keys that the tenant ever had, newest first, with the number of matches. */
export async function listKeyRows(
  db: Db,
  tenantId: string,
  filter: KeyFilter,
  page: PageRequest,
  now: Date,
): Promise<Counted<KeyRow>> {
  const from = sql`FROM api_keys k JOIN users u ON u.id = k.user_id WHERE ${conditionOf(tenantId, filter, now)}`;
  if (isPart(page)) return await nextPart<KeyRow>(db, { columns: LISTED, from, keys: NEWEST_FIRST }, page);
  const { rows } = await sql<KeyRow>`
    SELECT ${LISTED} ${from} ORDER BY k.created_at DESC, k.id LIMIT ${page.limit} OFFSET ${page.skip}`.execute(db);
  const counted = await sql<{ total: string }>`SELECT count(*) AS total ${from}`.execute(db);
  return { rows, total: Number(counted.rows[0]!.total) };
}

const LISTED = sql`k.id, k.user_id, k.name, k.scopes, coalesce(u.email, u.name) AS owner, u.kind, u.role, k.created_at,
  k.expires_at, k.last_used_at, k.last_used_address, k.revoked_at, k.revoked_by, k.revocation_reason, k.replaces,
  (SELECT s.id FROM api_keys s WHERE s.replaces = k.id) AS replaced_by`;

/** Returns a key of the tenant. */
export async function findKeyRow(db: Db, tenantId: string, id: string): Promise<KeyRow | undefined> {
  const { rows } = await sql<KeyRow>`
    SELECT ${LISTED} FROM api_keys k JOIN users u ON u.id = k.user_id
     WHERE k.tenant_id = ${tenantId} AND k.id = ${id}`.execute(db);
  return rows[0];
}

const NEWEST_FIRST: Walked["keys"] = [
  { by: sql`k.created_at`, type: "timestamptz", descending: true },
  { by: sql`k.id`, type: "text", descending: false },
];

function conditionOf(tenantId: string, { state, userId }: KeyFilter, now: Date): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [sql`k.tenant_id = ${tenantId}`];
  const works = sql`(k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${now}))`;
  if (state !== undefined) conditions.push(state === "active" ? works : sql`NOT ${works}`);
  if (userId !== undefined) conditions.push(sql`k.user_id = ${userId}`);
  return sql.join(conditions, sql` AND `);
}

/** Returns the names of those `ids` that are keys of the tenant. */
export async function findKeyNames(
  db: Db,
  tenantId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string; deleted: boolean }[]> {
  const { rows } = await sql<{ id: string; name: string; deleted: boolean }>`
    SELECT id, name, false AS deleted FROM api_keys
     WHERE tenant_id = ${tenantId} AND id = ANY (${[...ids]}::text[])`.execute(db);
  return rows;
}

export async function hasKey(db: Db, tenantId: string, id: string): Promise<boolean> {
  const found = db.selectFrom("api_keys").select("id").where("tenant_id", "=", tenantId).where("id", "=", id);
  return (await found.executeTakeFirst()) !== undefined;
}

const selectWorking = statement<{ ids: string[]; now: Date }, WorkingKey>(
  "working-api-keys",
  (p) => sql`
    SELECT k.id, u.role FROM api_keys k JOIN users u ON u.id = k.user_id
     WHERE k.id = ANY (${p.ids}::text[]) AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${p.now}::timestamptz)
       AND u.status = 'active' AND u.deleted_at IS NULL AND (u.ends_at IS NULL OR u.ends_at > ${p.now}::timestamptz)`,
);

interface WorkingKey {
  id: string;
  /** The role of its owner. */
  role: Role;
}

/** Returns those `ids` that are neither revoked nor expired, with the role of their owner. */
export async function findWorkingKeys(db: Db, ids: string[], now: Date): Promise<WorkingKey[]> {
  return await runStatement(db, selectWorking, { ids, now });
}

/**
 * Lists a user's keys that are neither revoked nor expired, newest first; `undefined` when the tenant has no such user.
 */
export async function listKeysOf(
  db: Db,
  tenantId: string,
  userId: string,
  now: Date,
): Promise<KeyUseRow[] | undefined> {
  const { rows } = await sql<KeyUseRow | { id: null }>`
    SELECT k.id, k.name, k.scopes, k.last_used_at, k.last_used_address, u.role
      FROM users u LEFT JOIN api_keys k ON k.user_id = u.id AND k.revoked_at IS NULL
           AND (k.expires_at IS NULL OR k.expires_at > ${now})
     WHERE u.id = ${userId} AND u.tenant_id = ${tenantId} AND u.deleted_at IS NULL
     ORDER BY k.created_at DESC, k.id`.execute(db);
  return rows.length === 0 ? undefined : rows.filter((row) => row.id !== null);
}

export type KeyUseRow = Pick<KeyRow, "id" | "name" | "scopes" | "last_used_at" | "last_used_address" | "role">;

/** A key without its id and secret. */
export type NewKeyRow = Omit<Insertable<Schema["api_keys"]>, "id" | "secret_hash">;

/** @returns false when the id is taken: generate another */
export async function insertKey(tx: Tx, key: Insertable<Schema["api_keys"]>): Promise<boolean> {
  const inserted = await tx
    .insertInto("api_keys")
    .values({ ...key, scopes: sql`${key.scopes}::text[]` })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Locks a key that is neither revoked nor expired. */
export async function lockWorkingKey(tx: Tx, id: string, now: Date): Promise<KeyRow | undefined> {
  await sql`SELECT FROM api_keys WHERE id = ${id} FOR NO KEY UPDATE`.execute(tx);
  const { rows } = await sql<KeyRow>`
    SELECT ${LISTED} FROM api_keys k JOIN users u ON u.id = k.user_id
     WHERE k.id = ${id} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${now})`.execute(tx);
  return rows[0];
}

/** Ends a replaced key at `end`, unless it expires earlier. @returns its end */
export async function replaceKey(tx: Tx, id: string, end: Date): Promise<Date> {
  const { rows } = await sql<{ expires_at: Date }>`
    UPDATE api_keys SET expires_at = least(expires_at, ${end}) WHERE id = ${id} RETURNING expires_at`.execute(tx);
  return rows[0]!.expires_at;
}

/**
 * Revokes a key of the tenant. Fires `api_keys_ended`.
 *
 * @returns the key's name and scopes, and in `revoked` whether this call revoked it (an ended key keeps its first
 * reason); `undefined` when the tenant has no key with this id
 */
export async function revokeKeyById(
  tx: Tx,
  tenantId: string,
  id: string,
  by: string,
  now: Date,
): Promise<{ name: string; scopes: string[]; revoked: boolean } | undefined> {
  const shown = ["name", "scopes"] as const;
  const revoked = await tx
    .updateTable("api_keys")
    .set({ revoked_at: now, revoked_by: by, revocation_reason: "requested" })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .returning(shown)
    .executeTakeFirst();
  if (revoked) return { ...revoked, revoked: true };
  const known = tx.selectFrom("api_keys").select(shown).where("tenant_id", "=", tenantId).where("id", "=", id);
  const row = await known.executeTakeFirst();
  return row && { ...row, revoked: false };
}

/** Returns the slug of the tenant that has this key. */
export async function findTenantOfKey(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("api_keys as k")
    .innerJoin("tenants as t", "t.id", "k.tenant_id")
    .select("t.slug")
    .where("k.id", "=", id)
    .executeTakeFirst();
  return row?.slug;
}

/**
 * Revokes every unrevoked key of every tenant. Fires `api_keys_ended`.
 *
 * @returns how many
 */
export async function revokeAllKeys(tx: Tx, by: string, now: Date): Promise<number> {
  const revoked = await tx
    .updateTable("api_keys")
    .set({ revoked_at: now, revoked_by: by, revocation_reason: "requested" })
    .where("revoked_at", "is", null)
    .returning("id")
    .execute();
  return revoked.length;
}

/**
 * Revokes every key of `userId`, in the transaction that changes the user. Fires `api_keys_ended`.
 *
 * @returns the ids of the revoked keys
 */
export async function revokeKeysOf(
  tx: Tx,
  userId: string,
  reason: RevocationReason,
  by: string,
  now: Date,
): Promise<string[]> {
  const revoked = await tx
    .updateTable("api_keys")
    .set({ revoked_at: now, revoked_by: by, revocation_reason: reason })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .returning("id")
    .execute();
  return revoked.map(({ id }) => id);
}

/** Records a use; the time never moves backwards. */
export async function recordUse(db: Db, id: string, now: Date, address: string): Promise<void> {
  await runStatement(db, writeLastUse, { id, now, address });
}

const writeLastUse = statement<{ id: string; now: Date; address: string }, unknown>(
  "record-key-use",
  (p) => sql`
    UPDATE api_keys SET last_used_at = ${p.now}::timestamptz, last_used_address = ${p.address}::text
     WHERE id = ${p.id}::text AND (last_used_at IS NULL OR last_used_at < ${p.now}::timestamptz) RETURNING commit_later()`,
);
