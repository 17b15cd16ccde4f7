import { type Selectable, type SqlBool, sql } from "kysely";
import { hasEmail } from "../../access/access.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Pruned } from "../../db/prune.ts";
import type { OneTimeLinksTable } from "../../db/schema.generated.ts";
import { runStatement, statement } from "../../db/statement.ts";
import type { Page, PageRequest } from "../../lib/page.ts";

export type LinkRow = Selectable<OneTimeLinksTable>;
export type LinkPurpose = LinkRow["purpose"];

/**
 * Stores a link and deletes the former one for the same purpose: of the service, of an address in a tenant, or of a
 * user.
 */
export async function replaceLink(tx: Tx, row: LinkRow): Promise<void> {
  await sql`DELETE FROM one_time_links WHERE purpose = ${row.purpose} AND (purpose = 'setup'
    OR (purpose = 'invite' AND tenant_id = ${row.tenant_id} AND lower(email) = lower(${row.email}))
    OR (purpose = 'reset' AND user_id = ${row.user_id}))`.execute(tx);
  await tx.insertInto("one_time_links").values(row).execute();
}

/**
 * SQL: the author of the link is active and may still make it. A link for another person needs an admin. One for a user
 * who runs the installation needs an author who runs it too. Neither former admins nor links older than that
 * user's appointment let anyone in.
 */
const isBacked = sql<SqlBool>`(one_time_links.created_by NOT LIKE 'user:%' OR EXISTS (
  SELECT FROM shared_users maker WHERE 'user:' || maker.id = one_time_links.created_by AND maker.status = 'active'
     AND maker.deleted_at IS NULL AND (maker.id = one_time_links.user_id OR (maker.role = 'admin' AND (maker.platform OR NOT EXISTS (
       SELECT FROM shared_users target WHERE target.id = one_time_links.user_id AND target.platform))))))`;

/** Returns a link that can be used at `now`. */
export async function findLink(db: Db, by: LinkKey): Promise<LinkRow | undefined> {
  return await openLinks(db, by).executeTakeFirst();
}

/** Uses a link. It is deleted, so only one of two requests succeeds. */
export async function takeLink(tx: Tx, { purpose, tokenSha256, now }: LinkKey): Promise<LinkRow | undefined> {
  const { rows } = await sql<LinkRow>`DELETE FROM one_time_links
    WHERE token_sha256 = ${tokenSha256} AND purpose = ${purpose} AND expires_at > ${now} AND ${isBacked} RETURNING *`.execute(
    tx,
  );
  return rows[0];
}

interface LinkKey {
  purpose: LinkPurpose;
  tokenSha256: Buffer;
  now: Date;
}

function openLinks(db: Db, { purpose, tokenSha256, now }: LinkKey) {
  return db
    .selectFrom("one_time_links")
    .selectAll()
    .where("token_sha256", "=", tokenSha256)
    .where("purpose", "=", purpose)
    .where("expires_at", ">", now)
    .where(isBacked);
}

/** Lists the open invitations of a tenant, newest first. */
export async function listInviteRows(
  db: Db,
  tenantId: string,
  now: Date,
  { skip, limit }: PageRequest,
): Promise<Page<LinkRow>> {
  const open = db
    .selectFrom("one_time_links")
    .where("tenant_id", "=", tenantId)
    .where("purpose", "=", "invite")
    .where("expires_at", ">", now)
    .where(isBacked);
  const items = await open.selectAll().orderBy("id", "desc").limit(limit).offset(skip).execute();
  return { items, total: await countRows(open.select(sql<number>`count(*)::int`.as("rows"))), skip, limit };
}

/** Counts the open invitations of a tenant, including those added in this transaction. */
export async function countInvites(tx: Tx, tenantId: string, now: Date): Promise<number> {
  return (await listInviteRows(tx, tenantId, now, { skip: 0, limit: 1 })).total;
}

async function countRows(query: { executeTakeFirstOrThrow(): Promise<{ rows: number }> }): Promise<number> {
  return (await query.executeTakeFirstOrThrow()).rows;
}

/** Deletes an open invitation of the tenant. @returns the deleted row */
export async function deleteInvite(tx: Tx, tenantId: string, id: string): Promise<LinkRow | undefined> {
  return await tx
    .deleteFrom("one_time_links")
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where("purpose", "=", "invite")
    .returningAll()
    .executeTakeFirst();
}

/** Uses the open invitation of an address in a tenant, which the provider has verified in place of the link. */
export async function takeInvite(tx: Tx, tenantId: string, email: string, now: Date): Promise<LinkRow | undefined> {
  const { rows } = await sql<LinkRow>`DELETE FROM one_time_links
    WHERE purpose = 'invite' AND tenant_id = ${tenantId} AND lower(email) = lower(${email}) AND expires_at > ${now}
      AND ${isBacked} RETURNING *`.execute(tx);
  return rows[0];
}

/** Returns whether the address belongs to a user of any tenant. */
export async function isTaken(db: Db, email: string): Promise<boolean> {
  const found = await db
    .selectFrom("shared_users")
    .select("id")
    .where(hasEmail("email", email))
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return found !== undefined;
}

/** Deletes at most `limit` links that expired from `from` up to `before`. */
export async function deleteExpiredLinks(
  db: Db,
  range: { from: Date; before: Date; limit: number },
): Promise<Pruned<Date>> {
  const [pruned] = await runStatement(db, deleteLinks, range);
  return pruned!;
}

const deleteLinks = statement<{ from: Date; before: Date; limit: number }, Pruned<Date>>(
  "delete-expired-one-time-links",
  (p) => sql`
    WITH deleted AS (
      DELETE FROM one_time_links WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM one_time_links WHERE expires_at >= ${p.from}::timestamptz AND expires_at <= ${p.before}::timestamptz
         ORDER BY expires_at LIMIT ${p.limit}::int FOR UPDATE SKIP LOCKED))
      RETURNING expires_at)
    SELECT count(*)::int AS rows, max(expires_at) AS last FROM deleted`,
);
