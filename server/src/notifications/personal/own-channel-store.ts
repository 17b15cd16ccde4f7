import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { ChannelKind } from "../../groups/groups.ts";
import type { AddressStateRow } from "../channels/channel-state.ts";

/** A user of a tenant. */
export interface Owner {
  tenantId: string;
  userId: string;
}

export interface OwnChannelRow extends AddressStateRow {
  id: string;
  type: ChannelKind;
  target: string;
  /** When it answered 410. */
  disabled_at: Date | null;
}

/** SQL: the key of a user's address. Each user confirms an address separately. */
const keyOf = (userId: string, type: ChannelKind, target: string) =>
  sql`channel_address_key(${type}::text, ${`${userId} ${target}`}::text)`;

/** Serializes changes of a user's notifications until the transaction ends. */
export async function lockOwn(tx: Tx, userId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`muster own notifications ${userId}`}, 0))`.execute(tx);
}

/** Lists the user's channels, oldest first. */
export async function listChannelRows(db: Db, { tenantId, userId }: Owner): Promise<OwnChannelRow[]> {
  const { rows } = await sql<OwnChannelRow>`
    SELECT c.id, c.type, coalesce(i.name, c.target) AS target, c.disabled_at, a.request_at, a.requested_at, a.token_expires_at AS expires_at, a.confirmed_at
      FROM user_channels c
      JOIN channel_addresses a ON a.tenant_id = c.tenant_id AND a.type = c.type AND a.key = c.key
      LEFT JOIN integrations i ON c.type = 'integration' AND i.user_id = c.user_id AND i.id::text = c.target
     WHERE c.tenant_id = ${tenantId} AND c.user_id = ${userId} ORDER BY c.id`.execute(db);
  return rows;
}

/**
 * Inserts a channel, or enables a disabled one, whose receiver is asked to confirm it. @returns whether the address is
 * new for the user
 */
export async function insertChannel(
  tx: Tx,
  { tenantId, userId }: Owner,
  { id, type, target }: { id: string; type: ChannelKind; target: string },
  now: Date,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO user_channels (id, tenant_id, user_id, type, target, key, created_at)
    VALUES (${id}, ${tenantId}, ${userId}, ${type}, ${target}, ${keyOf(userId, type, target)}, ${now})
    ON CONFLICT (user_id, type, key) DO UPDATE SET disabled_at = NULL RETURNING id`.execute(tx);
  return rows[0]!.id === id;
}

/**
 * Disables a user's own webhook whose receiver answered 410, and fails its pending messages. Nothing is sent there
 * until the user adds it again and its receiver confirms it. Webhooks of groups or other users at the same address are
 * not affected.
 *
 * @returns the number of failed deliveries
 */
export async function disableChannel(db: Db, { tenantId, userId }: Owner, target: string, now: Date): Promise<number> {
  const { rows } = await sql`
    WITH disabled AS (
      UPDATE user_channels SET disabled_at = ${now}
       WHERE user_id = ${userId} AND type = 'webhook' AND key = ${keyOf(userId, "webhook", target)} RETURNING tenant_id, type, key
    ), unconfirmed AS (
      UPDATE channel_addresses a
         SET confirmed_at = NULL, confirmed_by = NULL, request_at = NULL, token_sha256 = NULL, token_expires_at = NULL
        FROM disabled d WHERE a.tenant_id = d.tenant_id AND a.type = d.type AND a.key = d.key
    ) UPDATE deliveries SET state = 'failed', done_at = ${now}, last_error = 'the webhook is gone (410)'
       WHERE tenant_id = ${tenantId} AND channel = 'webhook' AND target = ${target} AND user_id = ${userId} AND state = 'pending'
    RETURNING id`.execute(db);
  return rows.length;
}

/**
 * Records that a user names an address, so that its receiver gets a link unless it is confirmed. `again` requests a
 * link even while an earlier one is valid.
 */
export async function nameAddress(
  tx: Tx,
  { tenantId, userId }: Owner,
  { type, target, again }: { type: ChannelKind; target: string; again: boolean },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO channel_addresses AS a (tenant_id, type, key, address, user_id, named_at, request_at)
    VALUES (${tenantId}, ${type}, ${keyOf(userId, type, target)}, ${target}, ${userId}, ${now}, ${now})
    ON CONFLICT (tenant_id, type, key) DO UPDATE SET named_at = excluded.named_at,
      request_at = CASE WHEN a.confirmed_at IS NULL AND (${again} OR NOT coalesce(a.token_expires_at > ${now}, false))
        THEN coalesce(a.request_at, excluded.request_at) END`.execute(tx);
}

/** Checks whether an e-mail address belongs to the user's account or to one of the user's channels. */
export async function hasAddress(db: Db, userId: string, address: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    SELECT EXISTS (SELECT FROM shared_users WHERE id = ${userId} AND lower(email) = lower(${address}::text))
        OR EXISTS (SELECT FROM user_channels
                    WHERE user_id = ${userId} AND type = 'email' AND key = ${keyOf(userId, "email", address)}) AS has`.execute(
    db,
  );
  return rows[0]!.has;
}

/** Counts the addresses that the user has named since `since`, including former channels. */
export async function countNamed(tx: Tx, userId: string, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM channel_addresses WHERE user_id = ${userId} AND named_at > ${since}`.execute(tx);
  return rows[0]!.count;
}

/** Deletes a channel. No further link is sent to the address. Fires `user_channels_browser`. */
export async function deleteChannel(db: Db, { tenantId, userId }: Owner, id: string): Promise<void> {
  await sql`
    WITH removed AS (
      DELETE FROM user_channels WHERE id = ${id} AND tenant_id = ${tenantId} AND user_id = ${userId}
      RETURNING tenant_id, type, key
    ) UPDATE channel_addresses a SET request_at = NULL FROM removed r
       WHERE a.tenant_id = r.tenant_id AND a.type = r.type AND a.key = r.key`.execute(db);
}

/** Deletes up to `limit` channels of deleted users. Fires `user_channels_browser`. @returns the number of channels */
export async function deleteEndedChannels(db: Db, limit: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM user_channels WHERE id = ANY (ARRAY(
      SELECT c.id FROM user_channels c JOIN shared_users u ON u.id = c.user_id
       WHERE u.deleted_at IS NOT NULL LIMIT ${limit})) RETURNING 1`.execute(db);
  return rows.length;
}

/**
 * Deletes up to `limit` addresses that users named before `before` and that are no longer channels. @returns the number
 * of addresses
 */
export async function deleteUnnamed(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM channel_addresses a USING (
      SELECT o.tenant_id, o.type, o.key FROM channel_addresses o
       WHERE o.user_id IS NOT NULL AND o.named_at < ${before} AND NOT EXISTS (
         SELECT FROM user_channels c WHERE c.user_id = o.user_id AND c.type = o.type AND c.key = o.key) LIMIT ${limit}) old
     WHERE a.tenant_id = old.tenant_id AND a.type = old.type AND a.key = old.key RETURNING 1`.execute(db);
  return rows.length;
}
