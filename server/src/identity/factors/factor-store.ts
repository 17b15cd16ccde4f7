import { type SqlBool, sql } from "kysely";
import { bytesArray, plainArray } from "../../db/array-literal.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Pruned } from "../../db/prune.ts";
import { runStatement, statement } from "../../db/statement.ts";

/** A second factor whose row is locked. */
export interface LockedFactor {
  id: string;
  /** The secret, encrypted under the master key. */
  secret: Buffer;
}

/** Returns the name that a factor's secret is bound to: under another user or factor it does not decrypt. */
export function factorOwner(userId: string, factorId: string): string {
  return `user factor ${userId} ${factorId}`;
}

/** Locks and returns the user's confirmed factor, or the one whose set-up began after `begunSince`. */
export async function lockFactor(
  tx: Tx,
  userId: string,
  which: "confirmed" | { id: string; begunSince: Date },
): Promise<LockedFactor | undefined> {
  const locked = tx.selectFrom("user_factors").select(["id", "secret"]).where("user_id", "=", userId).forNoKeyUpdate();
  const query =
    which === "confirmed"
      ? locked.where("confirmed_at", "is not", null)
      : locked.where("id", "=", which.id).where("confirmed_at", "is", null).where("created_at", ">", which.begunSince);
  return await query.executeTakeFirst();
}

/** The kinds of second factors: an authenticator app (TOTP), or a passkey. */
export type FactorKind = "app" | "passkey";

/** Lists the ids of all second factors of a user, that of an authenticator app first. */
export async function listFactorIds(db: Db, userId: string): Promise<string[]> {
  const { rows } = await sql<{ factor_id: string }>`
    SELECT factor_id FROM shared_user_factors WHERE user_id = ${userId} ORDER BY kind, factor_id`.execute(db);
  return rows.map(({ factor_id }) => factor_id);
}

/** Returns the user's authenticator app. */
export async function findFactor(db: Db, userId: string): Promise<{ id: string; confirmedAt: Date } | undefined> {
  const row = await db
    .selectFrom("user_factors")
    .select(["id", "confirmed_at"])
    .where("user_id", "=", userId)
    .where("confirmed_at", "is not", null)
    .executeTakeFirst();
  return row && { id: row.id, confirmedAt: row.confirmed_at! };
}

/** Stores a factor whose set-up begins, replacing another unconfirmed one. */
export async function replaceBegunFactor(
  tx: Tx,
  factor: { id: string; user_id: string; secret: Buffer; created_at: Date },
): Promise<void> {
  const begun = tx.deleteFrom("user_factors").where("user_id", "=", factor.user_id).where("confirmed_at", "is", null);
  await begun.execute();
  await tx.insertInto("user_factors").values(factor).execute();
}

/**
 * Confirms the factor, which replaces any other one, and consumes the code of `step`.
 *
 * @returns whether there was another one
 */
export async function confirmFactorRow(
  tx: Tx,
  { id, userId, step, now }: { id: string; userId: string; step: number; now: Date },
): Promise<boolean> {
  const others = tx.deleteFrom("user_factors").where("user_id", "=", userId).where("id", "<>", id).returning("id");
  const replaced = (await others.execute()).length > 0;
  await tx.updateTable("user_factors").set({ confirmed_at: now, last_step: step }).where("id", "=", id).execute();
  return replaced;
}

/** Consumes the code of a time step. @returns false when it, or the code of a later step, was used before */
export async function takeStep(tx: Tx, id: string, step: number): Promise<boolean> {
  return (await runStatement(tx, takeTimeStep, { id, step })).length === 1;
}

const takeTimeStep = statement<{ id: string; step: number }, object>(
  "take-time-step",
  (p) => sql`
    UPDATE user_factors SET last_step = ${p.step}::int WHERE id = ${p.id}::uuid AND last_step < ${p.step}::int RETURNING id`,
);

/**
 * Deletes an authenticator app of the user.
 *
 * @returns whether it was confirmed, or `undefined` if there was none
 */
export async function deleteFactorRow(tx: Tx, userId: string, id: string): Promise<{ confirmed: boolean } | undefined> {
  const deleted = await tx
    .deleteFrom("user_factors")
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .returning(sql<SqlBool>`confirmed_at IS NOT NULL`.as("confirmed"))
    .executeTakeFirst();
  return deleted && { confirmed: Boolean(deleted.confirmed) };
}

/** Deletes every second factor of the user with the recovery codes. @returns whether there was one */
export async function deleteFactorsOf(tx: Tx, userId: string): Promise<boolean> {
  const apps = tx.deleteFrom("user_factors").where("user_id", "=", userId).returning("confirmed_at");
  const hadApp = (await apps.execute()).some(({ confirmed_at }) => confirmed_at !== null);
  const passkeys = await tx.deleteFrom("passkeys").where("user_id", "=", userId).returning("id").execute();
  await deleteRecoveryCodes(tx, userId);
  return hadApp || passkeys.length > 0;
}

/** Deletes the recovery codes of the user. */
export async function deleteRecoveryCodes(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
}

/** Replaces the recovery codes of the user by `hashes`. */
export async function replaceRecoveryCodes(tx: Tx, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await deleteRecoveryCodes(tx, userId);
  const rows = hashes.map((code_sha256) => ({ user_id: userId, code_sha256 }));
  await tx.insertInto("recovery_codes").values(rows).execute();
}

/** Consumes a recovery code. @returns false when it is unknown or already used */
export async function takeRecoveryCode(tx: Tx, userId: string, hash: Buffer): Promise<boolean> {
  const taken = tx
    .deleteFrom("recovery_codes")
    .where("user_id", "=", userId)
    .where("code_sha256", "=", hash)
    .returning("user_id");
  return (await taken.execute()).length === 1;
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const counted = db
    .selectFrom("recovery_codes")
    .select(sql<number>`count(*)::int`.as("codes"))
    .where("user_id", "=", userId);
  return (await counted.executeTakeFirstOrThrow()).codes;
}

/** Re-encrypts every secret after the master key rotation in `tx`; concurrent writes of secrets wait for it. */
export async function encryptFactorsAgain(tx: Tx, reseal: (sealed: Buffer, owner: string) => Buffer): Promise<void> {
  const columns = ["id", "user_id", "secret"] as const;
  const rows = await tx.selectFrom("user_factors").select(columns).orderBy("id").forNoKeyUpdate().execute();
  const ids = plainArray(rows.map(({ id }) => id));
  const secrets = bytesArray(rows.map(({ id, user_id, secret }) => reseal(secret, factorOwner(user_id, id))));
  await sql`
    UPDATE user_factors f SET secret = n.secret
      FROM unnest(${ids}::text::uuid[], ${secrets}::text::bytea[]) AS n (id, secret) WHERE f.id = n.id`.execute(tx);
}

/** Deletes at most `limit` unconfirmed factors whose set-up began from `from` up to `before`. */
export async function deleteUnconfirmed(
  db: Db,
  range: { from: Date; before: Date; limit: number },
): Promise<Pruned<Date>> {
  const [pruned] = await runStatement(db, deleteUnconfirmedFactors, range);
  return pruned!;
}

const deleteUnconfirmedFactors = statement<{ from: Date; before: Date; limit: number }, Pruned<Date>>(
  "delete-unconfirmed-user-factors",
  (p) => sql`
    WITH deleted AS (
      DELETE FROM user_factors WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM user_factors
         WHERE confirmed_at IS NULL AND created_at >= ${p.from}::timestamptz AND created_at <= ${p.before}::timestamptz
         ORDER BY created_at LIMIT ${p.limit}::int FOR UPDATE SKIP LOCKED))
      RETURNING created_at)
    SELECT count(*)::int AS rows, max(created_at) AS last FROM deleted`,
);
