import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import type { Pruned } from "../db/prune.ts";
import type { UserSessionsTable, UsersTable } from "../db/schema.generated.ts";
import { readStatement, runStatement, statement } from "../db/statement.ts";
import type { FactorKind } from "./factors/factor-store.ts";
import type { FactorState, Session } from "./session.ts";

export type NewSessionRow = Omit<UserSessionsTable, "commanded_devices">;

/**
 * Adds a session and ends the user's oldest sessions beyond `most`. Sessions with and without a given factor count
 * apart, so sign-ins without the code end no other session. Fires `user_sessions_ended`.
 */
export async function insertSession(tx: Tx, row: NewSessionRow, most: number): Promise<void> {
  await tx.insertInto("user_sessions").values(row).execute();
  await sql`
    DELETE FROM user_sessions WHERE user_id = ${row.user_id} AND id IN (
      SELECT id FROM user_sessions WHERE user_id = ${row.user_id} AND (factor_id IS NULL) = ${row.factor_id === null}
       ORDER BY id DESC OFFSET ${most})`.execute(tx);
}

interface FoundRow {
  id: string;
  last_used_at: Date;
  verified_at: Date;
  user_id: string;
  email: string;
  user_name: string | null;
  language: UsersTable["language"];
  time_zone: string | null;
  clock: UsersTable["clock"];
  theme: UsersTable["theme"];
  role: Session["user"]["role"];
  platform: boolean;
  password_drawn: boolean;
  tenant_id: string;
  slug: string;
  name: string;
  admins_need_factor: boolean;
  given_factor_id: string | null;
  /** Whether it is one of the user's factors; null if the user has none. */
  factor_given: boolean | null;
  factor_kinds: FactorKind[] | null;
  oidc_issuer: string | null;
  oidc_sid: string | null;
}

/** Returns a session that is unexpired at `now` and was used since `idleSince`, with its active user. */
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
    SELECT s.id, s.last_used_at, s.verified_at, s.user_id, u.email, u.name AS user_name, u.language, u.time_zone, u.clock, u.theme, u.role, u.platform, u.password_drawn, u.tenant_id, t.slug, t.name,
           t.admins_need_factor, s.factor_id AS given_factor_id, f.factor_given, f.factor_kinds, s.oidc_issuer, s.oidc_sid
      FROM user_sessions s JOIN shared_users u ON u.id = s.user_id JOIN shared_tenants t ON t.id = u.tenant_id
     CROSS JOIN LATERAL (
       SELECT bool_or(f.factor_id IS NOT DISTINCT FROM s.factor_id) AS factor_given,
              array_agg(DISTINCT f.kind ORDER BY f.kind) AS factor_kinds
         FROM shared_user_factors f WHERE f.user_id = u.id) f
     WHERE s.token_sha256 = ${p.tokenSha256}::bytea AND s.expires_at > ${p.now}::timestamptz
       AND s.last_used_at > ${p.idleSince}::timestamptz AND u.status = 'active' AND u.deleted_at IS NULL`,
);

function toSession(row: FoundRow): Session & { lastUsedAt: Date } {
  return {
    id: row.id,
    user: { id: row.user_id, email: row.email, role: row.role, platform: row.platform },
    profile: {
      name: row.user_name,
      language: row.language,
      timeZone: row.time_zone,
      clock: row.clock,
      theme: row.theme,
    },
    tenant: { id: row.tenant_id, slug: row.slug, name: row.name },
    verifiedAt: row.verified_at,
    passwordDue: row.password_drawn,
    factor: factorState(row),
    factorId: row.given_factor_id,
    factorKinds: row.factor_kinds ?? [],
    factorMandatory: isFactorMandatory(row),
    provider: row.oidc_issuer === null ? null : { issuer: row.oidc_issuer, sid: row.oidc_sid },
    lastUsedAt: row.last_used_at,
  };
}

function factorState(row: FoundRow): FactorState {
  if (row.factor_given !== null) return row.factor_given ? "given" : "required";
  return isFactorMandatory(row) ? "due" : "none";
}

function isFactorMandatory({ admins_need_factor, role }: FoundRow): boolean {
  return admins_need_factor && role === "admin";
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

/** Gives the session a new token and sets its verification time to `now`. */
export async function renewSession(db: Db, id: string, tokenSha256: Buffer, now: Date): Promise<void> {
  const commanded = sql<string[]>`'{}'::text[]`;
  const renewed = { token_sha256: tokenSha256, verified_at: now, last_used_at: now, commanded_devices: commanded };
  await db.updateTable("user_sessions").set(renewed).where("id", "=", id).execute();
}

/**
 * Records that the session sends a command to a device, unless it has commanded `most` other devices since the last
 * step-up. The row lock keeps the limit exact for concurrent commands.
 *
 * @returns whether it may
 */
export async function recordCommanded(db: Db, command: { id: string; device: string; most: number }): Promise<boolean> {
  return (await runStatement(db, recordDevice, command)).length === 1;
}

const recordDevice = statement<{ id: string; device: string; most: number }, object>(
  "record-commanded-device",
  (p) => sql`
    UPDATE user_sessions SET commanded_devices = CASE WHEN ${p.device}::text = ANY (commanded_devices) THEN commanded_devices
             ELSE commanded_devices || ${p.device}::text END
     WHERE id = ${p.id}::uuid AND (${p.device}::text = ANY (commanded_devices) OR cardinality(commanded_devices) < ${p.most}::int)
    RETURNING id`,
);

/**
 * Gives the session a new token and the factor that its user has just confirmed.
 *
 * @returns false when the session has ended
 */
export async function renewWithFactor(tx: Tx, id: string, tokenSha256: Buffer, factorId: string): Promise<boolean> {
  const renewed = { token_sha256: tokenSha256, factor_id: factorId };
  const updated = tx.updateTable("user_sessions").set(renewed).where("id", "=", id).returning("id");
  return (await updated.execute()).length === 1;
}

/**
 * Adapts sessions to a user without a factor: those that lacked it end, and the others continue without it. Fires
 * `user_sessions_ended`.
 */
export async function forgetFactorOfSessions(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("user_sessions").where("user_id", "=", userId).where("factor_id", "is", null).execute();
  await tx.updateTable("user_sessions").set({ factor_id: null }).where("user_id", "=", userId).execute();
}

/**
 * Adapts sessions to a removed factor of a user who has others: those in which it was given end, except one, in which
 * `to` counts as given. Fires `user_sessions_ended`.
 */
export async function replaceFactorOfSessions(
  tx: Tx,
  { userId, sessionId, from, to }: { userId: string; sessionId: string; from: string; to: string },
): Promise<void> {
  const others = tx.deleteFrom("user_sessions").where("user_id", "=", userId).where("factor_id", "=", from);
  await others.where("id", "<>", sessionId).execute();
  const own = tx.updateTable("user_sessions").set({ factor_id: to }).where("id", "=", sessionId);
  await own.where("factor_id", "=", from).execute();
}

/** Lists the user's unexpired sessions that lack no factor, newest first. */
export async function listSessionRows(
  db: Db,
  { userId, hasFactor, now }: { userId: string; hasFactor: boolean; now: Date },
): Promise<Omit<NewSessionRow, "token_sha256" | "factor_id" | "oidc_issuer" | "oidc_sid">[]> {
  return await db
    .selectFrom("user_sessions")
    .select(["id", "user_id", "created_at", "last_used_at", "expires_at", "verified_at", "address", "user_agent"])
    .where("user_id", "=", userId)
    .where("factor_id", hasFactor ? "is not" : "is", null)
    .where("expires_at", ">", now)
    .orderBy("id", "desc")
    .execute();
}

/**
 * Fires `user_sessions_ended`.
 *
 * @returns whether the user had this session
 */
export async function deleteSessionOf(db: Db, userId: string, id: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom("user_sessions")
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  return deleted !== undefined;
}

/** Fires `user_sessions_ended`. @returns how many sessions ended */
export async function deleteOtherSessions(db: Db, userId: string, id: string): Promise<number> {
  const deleted = db.deleteFrom("user_sessions").where("user_id", "=", userId).where("id", "<>", id).returning("id");
  return (await deleted.execute()).length;
}

/** Fires `user_sessions_ended`. */
export async function deleteSessionsOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("user_sessions").where("user_id", "=", userId).execute();
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

/** Fires `user_sessions_ended`. */
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
