import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import type { Pruned } from "../db/prune.ts";
import type { UserSessionsTable } from "../db/schema.generated.ts";
import { readStatement, runStatement, statement } from "../db/statement.ts";
import type { Session } from "./session.ts";

export type NewSessionRow = UserSessionsTable;

/** Adds a session, and ends the oldest ones of the user beyond `most`. */
export async function insertSession(tx: Tx, row: NewSessionRow, most: number): Promise<void> {
  await tx.insertInto("user_sessions").values(row).execute();
  await sql`
    DELETE FROM user_sessions WHERE user_id = ${row.user_id} AND id IN (
      SELECT id FROM user_sessions WHERE user_id = ${row.user_id} ORDER BY id DESC OFFSET ${most})`.execute(tx);
}

interface FoundRow {
  id: string;
  last_used_at: Date;
  verified_at: Date;
  user_id: string;
  email: string;
  role: Session["user"]["role"];
  platform: boolean;
  password_drawn: boolean;
  tenant_id: string;
  slug: string;
  name: string;
}

/** A session that stands at `now` and was used since `idleSince`, with its user, who is active. */
export async function findSession(
  db: Db,
  by: { tokenSha256: Buffer; now: Date; idleSince: Date },
): Promise<(Session & { lastUsedAt: Date }) | undefined> {
  const [row] = await readStatement(db, readSession, by);
  return row && toSession(row);
}

const readSession = statement<{ tokenSha256: Buffer; now: Date; idleSince: Date }, FoundRow>(
  "read-user-session",
  (p) => sql`
    SELECT s.id, s.last_used_at, s.verified_at, s.user_id, u.email, u.role, u.platform, u.password_drawn, u.tenant_id, t.slug, t.name
      FROM user_sessions s JOIN shared_users u ON u.id = s.user_id JOIN shared_tenants t ON t.id = u.tenant_id
     WHERE s.token_sha256 = ${p.tokenSha256}::bytea AND s.expires_at > ${p.now}::timestamptz
       AND s.last_used_at > ${p.idleSince}::timestamptz AND u.status = 'active' AND u.deleted_at IS NULL`,
);

function toSession(row: FoundRow): Session & { lastUsedAt: Date } {
  return {
    id: row.id,
    user: { id: row.user_id, email: row.email, role: row.role, platform: row.platform },
    tenant: { id: row.tenant_id, slug: row.slug, name: row.name },
    verifiedAt: row.verified_at,
    passwordDue: row.password_drawn,
    lastUsedAt: row.last_used_at,
  };
}

/** Records a use; the time never moves backwards. */
export async function recordSessionUse(db: Db, id: string, now: Date): Promise<void> {
  await db
    .updateTable("user_sessions")
    .set({ last_used_at: now })
    .where("id", "=", id)
    .where("last_used_at", "<", now)
    .execute();
}

export async function deleteSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom("user_sessions").where("id", "=", id).execute();
}

/** Gives the session another token, whose holder was verified at `now`. */
export async function renewSession(db: Db, id: string, tokenSha256: Buffer, now: Date): Promise<void> {
  const renewed = { token_sha256: tokenSha256, verified_at: now, last_used_at: now };
  await db.updateTable("user_sessions").set(renewed).where("id", "=", id).execute();
}

/** The user's sessions that have not expired, newest first. */
export async function listSessionRows(
  db: Db,
  userId: string,
  now: Date,
): Promise<Omit<NewSessionRow, "token_sha256">[]> {
  return await db
    .selectFrom("user_sessions")
    .select(["id", "user_id", "created_at", "last_used_at", "expires_at", "verified_at", "address", "user_agent"])
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .orderBy("id", "desc")
    .execute();
}

/** @returns whether the user had this session */
export async function deleteSessionOf(db: Db, userId: string, id: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom("user_sessions")
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  return deleted !== undefined;
}

export async function deleteOtherSessions(db: Db, userId: string, id: string): Promise<void> {
  await db.deleteFrom("user_sessions").where("user_id", "=", userId).where("id", "<>", id).execute();
}

export async function tenantName(db: Db, tenantId: string): Promise<string> {
  const row = await db.selectFrom("shared_tenants").select("name").where("id", "=", tenantId).executeTakeFirst();
  return row?.name ?? "";
}

/** Deletes at most `limit` sessions that expired from `from` up to `before`. */
export async function deleteExpired(db: Db, range: { from: Date; before: Date; limit: number }): Promise<Pruned<Date>> {
  const [pruned] = await runStatement(db, deleteExpiredSessions, range);
  return pruned!;
}

const deleteExpiredSessions = statement<{ from: Date; before: Date; limit: number }, Pruned<Date>>(
  "delete-expired-user-sessions",
  (p) => sql`
    WITH deleted AS (
      DELETE FROM user_sessions WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM user_sessions WHERE expires_at >= ${p.from}::timestamptz AND expires_at <= ${p.before}::timestamptz
         ORDER BY expires_at LIMIT ${p.limit}::int FOR UPDATE SKIP LOCKED))
      RETURNING expires_at)
    SELECT count(*)::int AS rows, max(expires_at) AS last FROM deleted`,
);
