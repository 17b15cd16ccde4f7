import { type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { Pruned } from "../../db/prune.ts";
import type { PasskeysTable } from "../../db/schema.generated.ts";
import { runStatement, statement } from "../../db/statement.ts";

/** A passkey as it is listed. */
export type PasskeyRow = Pick<
  Selectable<PasskeysTable>,
  "id" | "name" | "credential_id" | "transports" | "created_at" | "last_used_at"
>;

/** A passkey with its user, who may be deactivated or deleted. */
export interface FoundPasskey {
  id: string;
  name: string;
  publicKey: Buffer;
  user: { id: string; email: string; isActive: boolean };
}

/** Lists the passkeys of a user, oldest first. */
export async function listPasskeyRows(db: Db, userId: string): Promise<PasskeyRow[]> {
  return await db
    .selectFrom("passkeys")
    .select(["id", "name", "credential_id", "transports", "created_at", "last_used_at"])
    .where("user_id", "=", userId)
    .orderBy("id")
    .execute();
}

/** Returns the passkey with this credential id, of any tenant. */
export async function findPasskey(db: Db, credentialId: Buffer): Promise<FoundPasskey | undefined> {
  const row = await db
    .selectFrom("passkeys as k")
    .innerJoin("shared_users as u", "u.id", "k.user_id")
    .select(["k.id", "k.name", "k.public_key", "k.user_id", "u.email", "u.status", "u.deleted_at"])
    .where("k.credential_id", "=", credentialId)
    .executeTakeFirst();
  if (!row) return undefined;
  const user = { id: row.user_id, email: row.email!, isActive: row.status === "active" && row.deleted_at === null };
  return { id: row.id, name: row.name, publicKey: row.public_key, user };
}

/** Adds a passkey. @returns false when its credential id is taken */
export async function insertPasskey(tx: Tx, row: Omit<PasskeysTable, "last_used_at">): Promise<boolean> {
  const added = tx.insertInto("passkeys").values({ ...row, last_used_at: null });
  const inserted = added.onConflict((conflict) => conflict.column("credential_id").doNothing()).returning("id");
  return (await inserted.execute()).length === 1;
}

/**
 * Records a use with the signature counter that the authenticator sent. The row lock orders concurrent uses.
 *
 * @returns `unknown` when the passkey was removed, `back` when the counter has not increased (WebAuthn 6.1.1)
 */
export async function recordPasskeyUse(
  tx: Tx,
  { id, signCount, now }: { id: string; signCount: number; now: Date },
): Promise<"recorded" | "unknown" | "back"> {
  const locked = tx.selectFrom("passkeys").select("sign_count").where("id", "=", id).forUpdate();
  const row = await locked.executeTakeFirst();
  if (!row) return "unknown";
  const before = Number(row.sign_count);
  if ((before > 0 || signCount > 0) && signCount <= before) return "back";
  const used = { sign_count: String(signCount), last_used_at: now };
  await tx.updateTable("passkeys").set(used).where("id", "=", id).execute();
  return "recorded";
}

/** Renames a passkey of the user. @returns its former name, or `undefined` if there is none */
export async function renamePasskeyRow(
  tx: Tx,
  { userId, id, name }: { userId: string; id: string; name: string },
): Promise<{ before: string; row: PasskeyRow } | undefined> {
  const own = tx.selectFrom("passkeys").selectAll().where("user_id", "=", userId).where("id", "=", id).forUpdate();
  const found = await own.executeTakeFirst();
  if (!found) return undefined;
  await tx.updateTable("passkeys").set({ name }).where("id", "=", id).execute();
  return { before: found.name, row: { ...found, name } };
}

/** Deletes a passkey of the user. @returns its name, or `undefined` if there is none */
export async function deletePasskey(tx: Tx, userId: string, id: string): Promise<string | undefined> {
  const deleted = tx.deleteFrom("passkeys").where("user_id", "=", userId).where("id", "=", id).returning("name");
  return (await deleted.executeTakeFirst())?.name;
}

/** Takes a signed challenge, which counts once. @returns false when it was taken before */
export async function takeChallenge(tx: Tx, sha256: Buffer, expiresAt: Date): Promise<boolean> {
  const taken = tx.insertInto("used_challenges").values({ sha256, expires_at: expiresAt });
  const once = taken.onConflict((conflict) => conflict.doNothing()).returning("sha256");
  return (await once.execute()).length === 1;
}

/** Deletes at most `limit` used challenges that expired from `from` up to `before`. */
export async function deleteUsedChallenges(
  db: Db,
  range: { from: Date; before: Date; limit: number },
): Promise<Pruned<Date>> {
  const [pruned] = await runStatement(db, deleteChallenges, range);
  return pruned!;
}

const deleteChallenges = statement<{ from: Date; before: Date; limit: number }, Pruned<Date>>(
  "delete-used-challenges",
  (p) => sql`
    WITH deleted AS (
      DELETE FROM used_challenges WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM used_challenges WHERE expires_at >= ${p.from}::timestamptz AND expires_at <= ${p.before}::timestamptz
         ORDER BY expires_at LIMIT ${p.limit}::int FOR UPDATE SKIP LOCKED))
      RETURNING expires_at)
    SELECT count(*)::int AS rows, max(expires_at) AS last FROM deleted`,
);
