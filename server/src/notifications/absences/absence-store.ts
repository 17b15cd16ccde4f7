import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { addMs } from "../../lib/clock.ts";
import type { PageRequest } from "../../lib/page.ts";
import type { Absence } from "./absence-record.ts";

const COLUMNS = sql`a.id, a.user_id AS "userId", a.starts_at AS "startsAt", a.ends_at AS "endsAt", a.note,
  a.created_at AS "createdAt", a.created_by AS "createdBy"`;

/** Serializes changes of a user's absences until the transaction ends. */
export async function lockAbsences(tx: Tx, userId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`muster absences ${userId}`}, 0))`.execute(tx);
}

export async function insertAbsence(
  tx: Tx,
  tenantId: string,
  { id, userId, startsAt, endsAt, note, createdAt, createdBy }: Absence,
): Promise<void> {
  await sql`
    INSERT INTO absences (id, tenant_id, user_id, starts_at, ends_at, note, created_at, created_by)
    VALUES (${id}, ${tenantId}, ${userId}, ${startsAt}, ${endsAt}, ${note}, ${createdAt}, ${createdBy})`.execute(tx);
}

/** Finds and locks an absence that has not ended. */
export async function lockAbsence(tx: Tx, tenantId: string, id: string, now: Date): Promise<Absence | undefined> {
  const { rows } = await sql<Absence>`
    SELECT ${COLUMNS} FROM absences a
     WHERE a.tenant_id = ${tenantId} AND a.id = ${id} AND a.ends_at > ${now} FOR UPDATE`.execute(tx);
  return rows[0];
}

/**
 * Ends an absence. Its row still counts against the absences of its user, since each may have told admins: of one that
 * has not begun, the millisecond before its creation is left.
 */
export async function endAbsenceAt(tx: Tx, { id, startsAt, createdAt }: Absence, now: Date): Promise<void> {
  const [from, to] = startsAt < now ? [startsAt, now] : [addMs(createdAt, -1), createdAt];
  await sql`UPDATE absences SET starts_at = ${from}, ends_at = ${to} WHERE id = ${id}`.execute(tx);
}

/** Lists what has not ended at `now`, by start. */
export async function listAbsenceRows(
  db: Db,
  tenantId: string,
  { userIds, now, skip, limit }: PageRequest & { userIds: readonly string[]; now: Date },
): Promise<{ rows: Absence[]; total: number }> {
  const where = sql`a.tenant_id = ${tenantId} AND a.user_id = ANY (${[...userIds]}::uuid[]) AND a.ends_at > ${now}`;
  const { rows } = await sql<Absence>`
    SELECT ${COLUMNS} FROM absences a WHERE ${where}
     ORDER BY a.starts_at, a.id LIMIT ${limit} OFFSET ${skip}`.execute(db);
  const total = await sql<{ n: number }>`SELECT count(*)::int AS n FROM absences a WHERE ${where}`.execute(db);
  return { rows, total: total.rows[0]!.n };
}

/** Counts the rows of a user. */
export async function countAbsences(tx: Tx, userId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM absences WHERE user_id = ${userId}`.execute(tx);
  return rows[0]!.n;
}

/** Deletes up to `limit` absences that ended before `before`. @returns their number */
export async function deleteEndedAbsences(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM absences WHERE id = ANY (ARRAY(
      SELECT id FROM absences WHERE ends_at < ${before} ORDER BY ends_at LIMIT ${limit}))
    RETURNING 1`.execute(db);
  return rows.length;
}
