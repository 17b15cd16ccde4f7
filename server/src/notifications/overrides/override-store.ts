import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { PageRequest } from "../../lib/page.ts";
import type { OverrideRecord } from "./override-record.ts";

const COLUMNS = sql`o.id, o.group_id AS "groupId", o.starts_at AS "startsAt", o.ends_at AS "endsAt",
  o.user_id AS "userId", o.replaces_id AS "replacesUserId", o.state, o.created_at AS "createdAt",
  o.created_by AS "createdBy"`;

/** Serializes changes of a group's overrides until the transaction ends. */
export async function lockOverrides(tx: Tx, groupId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`muster duties ${groupId}`}, 0))`.execute(tx);
}

export async function insertOverride(
  tx: Tx,
  tenantId: string,
  { id, groupId, startsAt, endsAt, userId, replacesUserId, state, createdAt, createdBy }: OverrideRecord,
): Promise<void> {
  await sql`
    INSERT INTO duty_overrides (id, tenant_id, group_id, starts_at, ends_at, user_id, replaces_id, state, created_at,
                                created_by, agreed_at)
    VALUES (${id}, ${tenantId}, ${groupId}, ${startsAt}, ${endsAt}, ${userId}, ${replacesUserId}, ${state},
            ${createdAt}, ${createdBy}, ${state === "agreed" ? createdAt : null})`.execute(tx);
}

/** Finds an override or offer that is not withdrawn. */
export async function findOverride(db: Db, tenantId: string, id: string): Promise<OverrideRecord | undefined> {
  const { rows } = await sql<OverrideRecord>`
    SELECT ${COLUMNS} FROM duty_overrides o
     WHERE o.tenant_id = ${tenantId} AND o.id = ${id} AND o.state <> 'withdrawn'`.execute(db);
  return rows[0];
}

/** Returns an agreed override of the same person's or of everybody's duty that overlaps, apart from `given` itself. */
export async function findOverlapping(tx: Tx, given: OverrideRecord): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT o.id FROM duty_overrides o
     WHERE o.group_id = ${given.groupId} AND o.state = 'agreed' AND o.id <> ${given.id}
       AND o.starts_at < ${given.endsAt} AND ${given.startsAt} < o.ends_at
       AND (o.replaces_id IS NULL OR ${given.replacesUserId}::uuid IS NULL OR o.replaces_id = ${given.replacesUserId}::uuid)
     LIMIT 1`.execute(tx);
  return rows[0]?.id;
}

/** Records that a user takes an offered duty. The caller has locked the group's overrides. */
export async function agreeTo(tx: Tx, id: string, userId: string, now: Date): Promise<void> {
  await sql`UPDATE duty_overrides SET state = 'agreed', user_id = ${userId}, agreed_at = ${now} WHERE id = ${id}`.execute(
    tx,
  );
}

/** Withdraws an offer. Its row still counts against the offers of its user. */
export async function withdraw(tx: Tx, id: string): Promise<void> {
  await sql`UPDATE duty_overrides SET state = 'withdrawn' WHERE id = ${id}`.execute(tx);
}

export async function deleteOverrideRow(tx: Tx, id: string): Promise<void> {
  await sql`DELETE FROM duty_overrides WHERE id = ${id}`.execute(tx);
}

/** Lists what has not ended at `now`: of the group, by start. A limit bounds it. */
export async function listOverrideRows(
  db: Db,
  tenantId: string,
  { groupId, now, skip, limit }: PageRequest & { groupId: string; now: Date },
): Promise<{ rows: OverrideRecord[]; total: number }> {
  const where = sql`o.tenant_id = ${tenantId} AND o.group_id = ${groupId} AND o.state <> 'withdrawn' AND o.ends_at > ${now}`;
  const { rows } = await sql<OverrideRecord>`
    SELECT ${COLUMNS} FROM duty_overrides o WHERE ${where}
     ORDER BY o.starts_at, o.id LIMIT ${limit} OFFSET ${skip}`.execute(db);
  const total = await sql<{ n: number }>`SELECT count(*)::int AS n FROM duty_overrides o WHERE ${where}`.execute(db);
  return { rows, total: total.rows[0]!.n };
}

/** Lists the open offers of these groups that the user made or may agree to. */
export async function listOffersTo(
  db: Db,
  groupIds: readonly string[],
  userId: string,
  now: Date,
): Promise<OverrideRecord[]> {
  const { rows } = await sql<OverrideRecord>`
    SELECT ${COLUMNS} FROM duty_overrides o
     WHERE o.group_id = ANY (${[...groupIds]}::uuid[]) AND o.state = 'offered' AND o.ends_at > ${now}
       AND (o.user_id IS NULL OR ${userId}::uuid IN (o.user_id, o.replaces_id))
     ORDER BY o.starts_at, o.id LIMIT 200`.execute(db);
  return rows;
}

/** Counts the rows of a group that are not withdrawn. */
export async function countOfGroup(tx: Tx, groupId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM duty_overrides WHERE group_id = ${groupId} AND state <> 'withdrawn'`.execute(tx);
  return rows[0]!.n;
}

/** Counts the duties that a user has offered since `since`. */
export async function countOffers(tx: Tx, userId: string, since: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::int AS n FROM duty_overrides
     WHERE replaces_id = ${userId} AND created_by = ${`user:${userId}`} AND created_at > ${since}`.execute(tx);
  return rows[0]!.n;
}

/** Returns the e-mail addresses of those of the users who are active users of the tenant, by id. */
export async function activeUsers(db: Db, tenantId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; email: string }>`
    SELECT id, email FROM shared_users WHERE tenant_id = ${tenantId} AND id = ANY (${[...ids]}::uuid[])
       AND status = 'active' AND deleted_at IS NULL`.execute(db);
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** Returns the groups that the user is a member of, is on a shift of, or takes a duty in. */
export async function groupsOfUser(db: Db, tenantId: string, userId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT g.id FROM shared_groups g WHERE g.tenant_id = ${tenantId} AND (
        EXISTS (SELECT FROM shared_group_members m WHERE m.group_id = g.id AND m.user_id = ${userId})
        OR EXISTS (SELECT FROM shared_group_shifts s JOIN shared_shift_users u ON u.shift_id = s.shift_id
                    WHERE s.group_id = g.id AND u.user_id = ${userId})
        OR EXISTS (SELECT FROM duty_overrides o
                    WHERE o.group_id = g.id AND o.user_id = ${userId} AND o.state = 'agreed'))
     ORDER BY g.id DESC LIMIT ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Deletes up to `limit` overrides that ended before `before`. @returns their number */
export async function deleteEndedOverrides(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM duty_overrides WHERE id = ANY (ARRAY(
      SELECT id FROM duty_overrides WHERE ends_at < ${before} ORDER BY ends_at LIMIT ${limit}))
    RETURNING 1`.execute(db);
  return rows.length;
}
