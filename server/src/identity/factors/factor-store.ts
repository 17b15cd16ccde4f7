import { type SqlBool, sql } from "kysely";
import { bytesArray, plainArray } from "../../db/array-literal.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Pruned } from "../../db/prune.ts";
import { runStatement, statement } from "../../db/statement.ts";

/** A second factor whose row is locked. */
export interface LockedFactor {
  id: string;
  /** Encrypted under the master key. */
  secret: Buffer;
}

/** The record that a factor's secret is bound to: sealed for another user or factor, it does not open. */
export function factorOwner(userId: string, factorId: string): string {
  return `user factor ${userId} ${factorId}`;
}

/** The user's factor that counts, or the one that is being set up since `begunSince`; its row is locked. */
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

/** The user's factor that counts. */
export async function findFactor(db: Db, userId: string): Promise<{ id: string; confirmedAt: Date } | undefined> {
  const row = await db
    .selectFrom("user_factors")
    .select(["id", "confirmed_at"])
    .where("user_id", "=", userId)
    .where("confirmed_at", "is not", null)
    .executeTakeFirst();
  return row && { id: row.id, confirmedAt: row.confirmed_at! };
}

/** Stores a factor that is being set up, in place of another one. */
export async function replaceBegunFactor(
  tx: Tx,
  factor: { id: string; user_id: string; secret: Buffer; created_at: Date },
): Promise<void> {
  const begun = tx.deleteFrom("user_factors").where("user_id", "=", factor.user_id).where("confirmed_at", "is", null);
  await begun.execute();
  await tx.insertInto("user_factors").values(factor).execute();
}

/** Makes the factor the one that counts, in place of another one. The code of `step` is used up. @returns whether there was another one */
export async function confirmFactorRow(
  tx: Tx,
  { id, userId, step, now }: { id: string; userId: string; step: number; now: Date },
): Promise<boolean> {
  const others = tx.deleteFrom("user_factors").where("user_id", "=", userId).where("id", "<>", id).returning("id");
  const replaced = (await others.execute()).length > 0;
  await tx.updateTable("user_factors").set({ confirmed_at: now, last_step: step }).where("id", "=", id).execute();
  return replaced;
}

/** Uses up the code of a time step. @returns false when it, or one of a later step, was used before */
export async function takeStep(tx: Tx, id: string, step: number): Promise<boolean> {
  return (await runStatement(tx, takeTimeStep, { id, step })).length === 1;
}

const takeTimeStep = statement<{ id: string; step: number }, object>(
  "take-time-step",
  (p) => sql`
    UPDATE user_factors SET last_step = ${p.step}::int WHERE id = ${p.id}::uuid AND last_step < ${p.step}::int RETURNING id`,
);

/** Deletes a factor of the user with its recovery codes. @returns whether there was one, and whether it counted */
export async function deleteFactorRow(tx: Tx, userId: string, id: string): Promise<{ confirmed: boolean } | undefined> {
  const deleted = await tx
    .deleteFrom("user_factors")
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .returning(sql<SqlBool>`confirmed_at IS NOT NULL`.as("confirmed"))
    .executeTakeFirst();
  return deleted && { confirmed: Boolean(deleted.confirmed) };
}

/** Deletes every factor of the user. @returns whether one of them counted */
export async function deleteFactorsOf(tx: Tx, userId: string): Promise<boolean> {
  const deleted = tx.deleteFrom("user_factors").where("user_id", "=", userId).returning("confirmed_at");
  return (await deleted.execute()).some(({ confirmed_at }) => confirmed_at !== null);
}

/** Makes `hashes` the recovery codes of the factor. */
export async function replaceRecoveryCodes(tx: Tx, factorId: string, hashes: readonly Buffer[]): Promise<void> {
  await tx.deleteFrom("recovery_codes").where("factor_id", "=", factorId).execute();
  const rows = hashes.map((code_sha256) => ({ factor_id: factorId, code_sha256 }));
  await tx.insertInto("recovery_codes").values(rows).execute();
}

/** Uses up a recovery code. @returns false when there is no such code, or no longer */
export async function takeRecoveryCode(tx: Tx, factorId: string, hash: Buffer): Promise<boolean> {
  const taken = tx
    .deleteFrom("recovery_codes")
    .where("factor_id", "=", factorId)
    .where("code_sha256", "=", hash)
    .returning("factor_id");
  return (await taken.execute()).length === 1;
}

export async function countRecoveryCodes(db: Db, factorId: string): Promise<number> {
  const counted = db
    .selectFrom("recovery_codes")
    .select(sql<number>`count(*)::int`.as("codes"))
    .where("factor_id", "=", factorId);
  return (await counted.executeTakeFirstOrThrow()).codes;
}

/** Encrypts every secret again, after the rotation of the master key in `tx`; secrets that are stored meanwhile wait for it. */
export async function encryptFactorsAgain(tx: Tx, reseal: (sealed: Buffer, owner: string) => Buffer): Promise<void> {
  const columns = ["id", "user_id", "secret"] as const;
  const rows = await tx.selectFrom("user_factors").select(columns).orderBy("id").forNoKeyUpdate().execute();
  const ids = plainArray(rows.map(({ id }) => id));
  const secrets = bytesArray(rows.map(({ id, user_id, secret }) => reseal(secret, factorOwner(user_id, id))));
  await sql`
    UPDATE user_factors f SET secret = n.secret
      FROM unnest(${ids}::text::uuid[], ${secrets}::text::bytea[]) AS n (id, secret) WHERE f.id = n.id`.execute(tx);
}

/** Deletes at most `limit` factors whose set-up was begun from `from` up to `before` and never confirmed. */
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
