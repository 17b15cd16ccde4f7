import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Viewer } from "../access/access.ts";
import type { Db, Tx } from "../db/database.ts";
import { unlessTaken } from "../db/refusal.ts";
import type { PageRequest } from "../lib/page.ts";
import { type Counted, contains, countedPage, filteredPage } from "../lists/counted-page.ts";
import { searchPage } from "../lists/search-page.ts";
import type { Channel } from "./channels.ts";
import type { AlwaysPages, EscalationStep } from "./escalation.ts";

export interface GroupRow {
  id: string;
  name: string;
  description: string;
  channels: Channel[];
  escalation: EscalationStep[];
  pages_lost_renewals: boolean;
  tells_hand_overs: boolean;
  always_pages: AlwaysPages;
  external_id: string | null;
  created_at: Date;
  updated_at: Date;
  member_user_ids: string[];
  shift_ids: string[];
  /** The `channels` whose receivers have not confirmed them. */
  unconfirmed_channels: Channel[];
}

/** A new group, without shifts. {@link addMembers} adds its members. */
export type NewGroupRow = Omit<GroupRow, "member_user_ids" | "shift_ids" | "unconfirmed_channels">;

/** Fires `groups_channels_named`, `groups_webhooks_named`. @throws MusterError already_exists */
export async function insertGroup(tx: Tx, tenantId: string, row: NewGroupRow): Promise<void> {
  const insert = sql`INSERT INTO groups (id, tenant_id, name, description, channels, escalation, pages_lost_renewals,
                                         tells_hand_overs, always_pages, external_id, created_at, updated_at)
    VALUES (${row.id}, ${tenantId}, ${row.name}, ${row.description}, ${JSON.stringify(row.channels)}::jsonb,
            ${JSON.stringify(row.escalation)}::jsonb, ${row.pages_lost_renewals}, ${row.tells_hand_overs}, ${row.always_pages},
            ${row.external_id}, ${row.created_at}, ${row.updated_at})`;
  await unlessTaken("groups_external_id", row.external_id, () => insert.execute(tx));
}

/** Adds those of `userIds` that are users of the tenant. @returns the added ids */
export async function addMembers(tx: Tx, tenantId: string, groupId: string, userIds: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ user_id: string }>`
    INSERT INTO group_members (group_id, user_id)
    SELECT ${groupId}::uuid, u.id FROM shared_users u
     WHERE u.tenant_id = ${tenantId} AND u.deleted_at IS NULL AND u.id = ANY (${userIds}::uuid[])
    RETURNING user_id`.execute(tx);
  return new Set(rows.map((row) => row.user_id));
}

/** Lists the unconfirmed channels of a group, in the order of its channels. */
export async function unconfirmedChannels(tx: Tx, groupId: string): Promise<Channel[]> {
  const { rows } = await sql<Channel>`
    SELECT type, target FROM shared_group_channels WHERE group_id = ${groupId} AND NOT confirmed ORDER BY position`.execute(
    tx,
  );
  return rows;
}

/** Finds the group if `viewer` may see it. */
export async function findGroup(db: Db, tenantId: string, id: string, viewer?: Viewer): Promise<GroupRow | undefined> {
  const { rows } = await sql<GroupRow>`
    SELECT ${COLUMNS} FROM groups g
     WHERE g.tenant_id = ${tenantId} AND g.id = ${id} AND ${visibleGroup(viewer)}`.execute(db);
  return rows[0];
}

/** SQL: `viewer` is a member of group `g`, or sees every group. */
function visibleGroup(viewer: Viewer): RawBuilder<SqlBool> {
  if (viewer === undefined) return sql<SqlBool>`true`;
  return sql<SqlBool>`EXISTS (SELECT FROM group_members v WHERE v.group_id = g.id AND v.user_id = ${viewer}::uuid)`;
}

/** Locks the group, which serializes changes to its members and shifts. @returns whether the tenant has it */
export async function lockGroup(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom("groups")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Sets the time of the last change. */
export async function touchGroup(tx: Tx, tenantId: string, id: string, now: Date): Promise<void> {
  await tx
    .updateTable("groups")
    .set({ updated_at: now })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .execute();
}

/**
 * Lists one page of the groups that `viewer` may see, newest first, and the total number of matches. `q` is a part of
 * the name, case-insensitive.
 */
export async function listGroupRows(
  db: Db,
  tenantId: string,
  { q, viewer, ...page }: PageRequest & { q?: string | undefined; viewer?: Viewer },
): Promise<Counted<GroupRow>> {
  const shown = { list: "groups", as: "g", columns: COLUMNS } as const;
  const within = visibleGroup(viewer);
  if (q !== undefined)
    return await searchPage(db, tenantId, { ...shown, within, matches: contains("g.name", q) }, page);
  if (viewer !== undefined) return await filteredPage(db, tenantId, { ...shown, where: within }, page);
  return await countedPage(db, tenantId, shown, page);
}

/** SQL: the columns of a group, without deleted users. */
const COLUMNS = sql`g.id, g.name, g.description, g.channels, g.escalation, g.pages_lost_renewals, g.tells_hand_overs,
  g.always_pages, g.external_id,
  g.created_at, g.updated_at,
  ARRAY(SELECT m.user_id::text FROM group_members m JOIN shared_users u ON u.id = m.user_id
         WHERE m.group_id = g.id AND u.deleted_at IS NULL ORDER BY m.user_id) AS member_user_ids,
  ARRAY(SELECT s.shift_id::text FROM group_shifts s WHERE s.group_id = g.id ORDER BY s.shift_id) AS shift_ids,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('type', c.type, 'target', c.target) ORDER BY c.position), '[]')
     FROM shared_group_channels c WHERE c.group_id = g.id AND NOT c.confirmed) AS unconfirmed_channels`;
