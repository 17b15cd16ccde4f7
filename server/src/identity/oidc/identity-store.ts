import { sql } from "kysely";
import { hasEmail } from "../../access/access.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Pruned } from "../../db/prune.ts";
import { runStatement, statement } from "../../db/statement.ts";

/** An account at a provider. */
export interface Subject {
  tenantId: string;
  issuer: string;
  subject: string;
}

/** Returns the user whom the provider knows by this subject. */
export async function findLinkedUser(db: Db, { tenantId, issuer, subject }: Subject): Promise<string | undefined> {
  const found = db.selectFrom("oidc_identities").select("user_id").where("tenant_id", "=", tenantId);
  return (await found.where("issuer", "=", issuer).where("subject", "=", subject).executeTakeFirst())?.user_id;
}

/** Returns the account at a provider to which the user is linked. */
export async function findIdentity(db: Db, userId: string): Promise<{ issuer: string; subject: string } | undefined> {
  return await db
    .selectFrom("oidc_identities")
    .select(["issuer", "subject"])
    .where("user_id", "=", userId)
    .executeTakeFirst();
}

/** Links a user whose row is locked to an account at a provider, in place of one at a former provider. */
export async function linkUser(tx: Tx, userId: string, of: Subject, now: Date): Promise<void> {
  const link = { tenant_id: of.tenantId, issuer: of.issuer, subject: of.subject, created_at: now };
  await tx
    .insertInto("oidc_identities")
    .values({ user_id: userId, ...link })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(link))
    .execute();
}

/** Unlinks a user. @returns whether there was a link */
export async function unlinkUser(tx: Tx, userId: string): Promise<boolean> {
  return (
    (await tx.deleteFrom("oidc_identities").where("user_id", "=", userId).returning("user_id").execute()).length === 1
  );
}

/** Returns whether an active admin of the tenant is linked to an account of this issuer. */
export async function hasLinkedAdmin(db: Db, tenantId: string, issuer: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM oidc_identities i JOIN shared_users u ON u.id = i.user_id
     WHERE i.tenant_id = ${tenantId} AND i.issuer = ${issuer} AND u.role = 'admin' AND u.status = 'active'
       AND u.deleted_at IS NULL LIMIT 1`.execute(db);
  return rows.length === 1;
}

/** Returns those of `userIds` that are active admins of the tenant with a second factor. */
export async function adminsWithFactor(db: Db, tenantId: string, userIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT u.id FROM shared_users u
     WHERE u.tenant_id = ${tenantId} AND u.id = ANY (${[...userIds]}::uuid[]) AND u.role = 'admin'
       AND u.status = 'active' AND u.deleted_at IS NULL
       AND EXISTS (SELECT FROM shared_user_factors f WHERE f.user_id = u.id)`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Ends the sessions that began with credentials of Muster, except that of the caller and those of the named users.
 * Fires `user_sessions_ended`.
 */
export async function endCredentialSessions(
  tx: Tx,
  tenantId: string,
  except: { sessionId: string | undefined; userIds: readonly string[] },
): Promise<void> {
  await sql`
    DELETE FROM user_sessions s USING shared_users u
     WHERE u.id = s.user_id AND u.tenant_id = ${tenantId} AND s.oidc_issuer IS NULL
       AND s.id IS DISTINCT FROM ${except.sessionId ?? null}::uuid AND NOT u.id = ANY (${[...except.userIds]}::uuid[])`.execute(
    tx,
  );
}

/**
 * Ends the sessions of the tenant that a former provider began, except that of the caller. Fires `user_sessions_ended`.
 *
 * @param issuer the present provider, absent if there is none
 */
export async function endFormerSessions(
  tx: Tx,
  tenantId: string,
  { issuer, except }: { issuer?: string; except: string | undefined },
): Promise<void> {
  await sql`
    DELETE FROM user_sessions s USING shared_users u
     WHERE u.id = s.user_id AND u.tenant_id = ${tenantId} AND s.oidc_issuer IS NOT NULL
       AND s.oidc_issuer IS DISTINCT FROM ${issuer ?? null}::text AND s.id IS DISTINCT FROM ${except ?? null}::uuid`.execute(
    tx,
  );
}

/** Ends the user's sessions that a provider began. Fires `user_sessions_ended`. */
export async function endProviderSessions(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("user_sessions").where("user_id", "=", userId).where("oidc_issuer", "is not", null).execute();
}

/** Takes an answer of a provider, which counts once. @returns false when it was taken before */
export async function takeAnswer(db: Db, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const taken = db.insertInto("used_oidc_answers").values({ sha256: hash, expires_at: expiresAt });
  return (
    (
      await taken
        .onConflict((conflict) => conflict.doNothing())
        .returning("sha256")
        .execute()
    ).length === 1
  );
}

/** Deletes at most `limit` used answers that expired from `from` up to `before`. */
export async function deleteUsedAnswers(
  db: Db,
  range: { from: Date; before: Date; limit: number },
): Promise<Pruned<Date>> {
  const [pruned] = await runStatement(db, deleteAnswers, range);
  return pruned!;
}

const deleteAnswers = statement<{ from: Date; before: Date; limit: number }, Pruned<Date>>(
  "delete-used-oidc-answers",
  (p) => sql`
    WITH deleted AS (
      DELETE FROM used_oidc_answers WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM used_oidc_answers WHERE expires_at >= ${p.from}::timestamptz AND expires_at <= ${p.before}::timestamptz
         ORDER BY expires_at LIMIT ${p.limit}::int FOR UPDATE SKIP LOCKED))
      RETURNING expires_at)
    SELECT count(*)::int AS rows, max(expires_at) AS last FROM deleted`,
);

/** Returns the user of any tenant with this address. */
export async function findByEmail(db: Db, email: string): Promise<{ id: string; tenantId: string } | undefined> {
  return await db
    .selectFrom("shared_users")
    .select(["id", "tenant_id as tenantId"])
    .where(hasEmail("email", email))
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}
