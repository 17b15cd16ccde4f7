import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { ACTIVE } from "../roster/roster-store.ts";

/** The address of a calendar: of a user's duties, or of a group's for that user. Its token is stored as a hash. */
export interface FeedRecord {
  id: string;
  /** `null` for the user's own duties. */
  groupId: string | null;
  createdAt: Date;
}

/** Serializes changes of a user's feeds until the transaction ends. */
export async function lockFeeds(tx: Tx, userId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`muster feeds ${userId}`}, 0))`.execute(tx);
}

/** Records a feed, or gives the existing one of the user and group another token. @returns its id */
export async function upsertFeed(
  tx: Tx,
  { id, groupId, createdAt }: FeedRecord,
  { tenantId, userId, hash }: { tenantId: string; userId: string; hash: Buffer },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO duty_feeds (id, tenant_id, user_id, group_id, token_sha256, created_at)
    VALUES (${id}, ${tenantId}, ${userId}, ${groupId}, ${hash}, ${createdAt})
    ON CONFLICT (user_id, group_id) DO UPDATE SET token_sha256 = EXCLUDED.token_sha256, created_at = EXCLUDED.created_at
    RETURNING id`.execute(tx);
  return rows[0]!.id;
}

/** Lists a user's feeds; a limit bounds them. */
export async function listFeedRows(db: Db, tenantId: string, userId: string): Promise<FeedRecord[]> {
  const { rows } = await sql<FeedRecord>`
    SELECT f.id, f.group_id AS "groupId", f.created_at AS "createdAt" FROM duty_feeds f
     WHERE f.tenant_id = ${tenantId} AND f.user_id = ${userId} ORDER BY f.created_at, f.id`.execute(db);
  return rows;
}

/** Deletes a feed of a user, or of anybody if `userId` is undefined. */
export async function deleteFeedRow(
  tx: Tx,
  tenantId: string,
  id: string,
  userId: string | undefined,
): Promise<(FeedRecord & { userId: string }) | undefined> {
  const { rows } = await sql<FeedRecord & { userId: string }>`
    DELETE FROM duty_feeds f
     WHERE f.tenant_id = ${tenantId} AND f.id = ${id} AND (${userId ?? null}::uuid IS NULL OR f.user_id = ${userId ?? null})
    RETURNING f.id, f.user_id AS "userId", f.group_id AS "groupId", f.created_at AS "createdAt"`.execute(tx);
  return rows[0];
}

/** A feed of an active user, as its address names it. */
export interface FoundFeed {
  tenantId: string;
  userId: string;
  groupId: string | null;
  isAdmin: boolean;
}

export async function findFeed(db: Db, hash: Buffer): Promise<FoundFeed | undefined> {
  const { rows } = await sql<FoundFeed>`
    SELECT f.tenant_id AS "tenantId", f.user_id AS "userId", f.group_id AS "groupId", u.role = 'admin' AS "isAdmin"
      FROM duty_feeds f JOIN shared_users u ON u.id = f.user_id
     WHERE f.token_sha256 = ${hash} AND ${ACTIVE}`.execute(db);
  return rows[0];
}

/**
 * Deletes up to `limit` feeds of users who are no longer active, or have neither the group nor the rights of an admin.
 * Reading such a feed is refused before that. @returns their number
 */
export async function deleteLostFeeds(db: Db, limit: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM duty_feeds WHERE id = ANY (ARRAY(
      SELECT f.id FROM duty_feeds f JOIN shared_users u ON u.id = f.user_id
       WHERE NOT (${ACTIVE}) OR (f.group_id IS NOT NULL AND u.role <> 'admin'
         AND NOT EXISTS (SELECT FROM shared_group_members m WHERE m.group_id = f.group_id AND m.user_id = f.user_id)
         AND NOT EXISTS (SELECT FROM shared_group_shifts s JOIN shared_shift_users m ON m.shift_id = s.shift_id
                          WHERE s.group_id = f.group_id AND m.user_id = f.user_id)
         AND NOT EXISTS (SELECT FROM duty_overrides o WHERE o.group_id = f.group_id AND o.user_id = f.user_id
                          AND o.state = 'agreed'))
       LIMIT ${limit}))
    RETURNING 1`.execute(db);
  return rows.length;
}

/** Deletes the feeds of all users, when all access ends. @returns their number */
export async function endDutyFeeds(tx: Tx): Promise<number> {
  const { rows } = await sql`DELETE FROM duty_feeds RETURNING 1`.execute(tx);
  return rows.length;
}
