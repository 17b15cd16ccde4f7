import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { ChannelKind } from "../../groups/groups.ts";

/** An address that a group or a user names as a channel. */
export interface ChannelAddressRow {
  tenant_id: string;
  type: ChannelKind;
  key: Buffer;
  address: string;
  /** The group or the user that names it; the other is `null`. */
  group_id: string | null;
  group_name: string | null;
  user_id: string | null;
  user_email: string | null;
  tenant_name: string;
  /** The number of links sent in the day that began at `requests_since`. */
  requests: number;
  requests_since: Date | null;
}

/** SQL: joins the group or user that names the address `a`, and the tenant. */
const NAMED_BY = sql`LEFT JOIN shared_groups g ON g.id = a.group_id LEFT JOIN shared_users u ON u.id = a.user_id
  JOIN shared_tenants t ON t.id = a.tenant_id`;

/** SQL: the address `a` as people know it; the name of an integration. */
const shownAddress = sql`
  CASE a.type WHEN 'integration' THEN coalesce((SELECT i.name FROM integrations i WHERE i.id::text = a.address), a.address)
       ELSE a.address END`;

/** Locks addresses that are due for a link, and that no other process has locked. */
export async function lockDueAddresses(tx: Tx, now: Date, limit: number): Promise<ChannelAddressRow[]> {
  const { rows } = await sql<ChannelAddressRow>`
    SELECT a.tenant_id, a.type, a.key, a.address, a.group_id, g.name AS group_name, a.user_id, u.email AS user_email,
           t.name AS tenant_name, a.requests, a.requests_since
      FROM channel_addresses a ${NAMED_BY}
     WHERE a.request_at <= ${now} AND (g.id IS NOT NULL OR u.id IS NOT NULL) ORDER BY a.request_at LIMIT ${limit} FOR UPDATE OF a SKIP LOCKED`.execute(
    tx,
  );
  return rows;
}

/** Locks the tenant's links for this transaction. @returns the number of addresses that got a link since `since` */
export async function lockRequests(tx: Tx, tenantId: string, since: Date): Promise<number> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`muster confirmations ${tenantId}`}, 0))`.execute(tx);
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM channel_addresses
     WHERE tenant_id = ${tenantId} AND requested_at > ${since}`.execute(tx);
  return rows[0]!.count;
}

export interface SentLinks {
  links: number;
  /** When the first day with links began. */
  since: Date | null;
}

/**
 * Counts the links to an address named by users, in days that began after `since`. All users of the tenant count
 * together.
 */
export async function countUsersLinks(tx: Tx, row: ChannelAddressRow, since: Date): Promise<SentLinks> {
  const { rows } = await sql<SentLinks>`
    SELECT coalesce(sum(requests), 0)::int AS links, min(requests_since) AS since FROM channel_addresses
     WHERE tenant_id = ${row.tenant_id} AND requested_at > ${since} AND requests_since > ${since} AND user_id IS NOT NULL
       AND type = ${row.type} AND CASE type WHEN 'email' THEN lower(address) = lower(${row.address}::text) ELSE address = ${row.address} END`.execute(
    tx,
  );
  return rows[0]!;
}

export interface Link {
  hash: Buffer;
  expiresAt: Date;
}

type Key = Pick<ChannelAddressRow, "tenant_id" | "type" | "key">;
const of = ({ tenant_id, type, key }: Key) => sql`tenant_id = ${tenant_id} AND type = ${type} AND key = ${key}`;

/** Records that a link is being sent, which replaces the previous one. `day` begins a new day of requests. */
export async function recordRequest(tx: Tx, key: Key, link: Link, now: Date, day: boolean): Promise<void> {
  await sql`
    UPDATE channel_addresses SET request_at = NULL, token_sha256 = ${link.hash}, token_expires_at = ${link.expiresAt},
           requested_at = ${now}, requests = CASE WHEN ${day} THEN 1 ELSE requests + 1 END,
           requests_since = CASE WHEN ${day} THEN ${now}::timestamptz ELSE requests_since END
     WHERE ${of(key)}`.execute(tx);
}

export async function postponeRequest(tx: Tx, key: Key, until: Date): Promise<void> {
  await sql`UPDATE channel_addresses SET request_at = ${until} WHERE ${of(key)}`.execute(tx);
}

/** Confirms the address of a link that is neither used nor expired. @returns whether it did */
export async function confirmByHash(db: Db, hash: Buffer, by: "link" | "answer", now: Date): Promise<boolean> {
  const { rows } = await sql`
    UPDATE channel_addresses SET confirmed_at = ${now}, confirmed_by = ${by}, request_at = NULL
     WHERE token_sha256 = ${hash} AND confirmed_at IS NULL AND token_expires_at > ${now} RETURNING 1`.execute(db);
  return rows.length > 0;
}

export interface LinkedAddress {
  type: ChannelKind;
  address: string;
  tenant_name: string;
  token_expires_at: Date;
  confirmed_at: Date | null;
}

/** Finds the address that a link is for. */
export async function findByHash(db: Db, hash: Buffer): Promise<LinkedAddress | undefined> {
  const { rows } = await sql<LinkedAddress>`
    SELECT a.type, ${shownAddress} AS address, t.name AS tenant_name, a.token_expires_at, a.confirmed_at
      FROM channel_addresses a ${NAMED_BY}
     WHERE a.token_sha256 = ${hash} AND (g.id IS NOT NULL OR u.id IS NOT NULL)`.execute(db);
  return rows[0];
}

export interface ListedAddress {
  type: ChannelKind;
  address: string;
  named_at: Date;
  requested_at: Date | null;
  request_at: Date | null;
  expires_at: Date | null;
  confirmed_at: Date | null;
  confirmed_by: string | null;
}

/** Lists up to `limit` addresses that a tenant's groups name or named, unconfirmed ones first. */
export async function listAddresses(db: Db, tenantId: string, limit: number): Promise<ListedAddress[]> {
  const { rows } = await sql<ListedAddress>`
    SELECT type, ${shownAddress} AS address, named_at, requested_at, request_at, token_expires_at AS expires_at, confirmed_at,
           confirmed_by
      FROM channel_addresses a WHERE tenant_id = ${tenantId} AND user_id IS NULL
     ORDER BY confirmed_at IS NOT NULL, named_at DESC, type, key LIMIT ${limit}`.execute(db);
  return rows;
}

/**
 * Requests another link for an unconfirmed address. @returns the kind of address and whether it is confirmed, if the
 * tenant has it
 */
export async function requestLink(
  db: Db,
  tenantId: string,
  { groupId, target }: { groupId: string; target: string },
  now: Date,
): Promise<{ type: ChannelKind; confirmed: boolean } | undefined> {
  const { rows } = await sql<{ type: ChannelKind; confirmed: boolean }>`
    UPDATE channel_addresses a
       SET group_id = c.group_id, request_at = CASE WHEN a.confirmed_at IS NULL THEN coalesce(a.request_at, ${now}::timestamptz) END
      FROM shared_group_channels c
     WHERE c.tenant_id = ${tenantId} AND c.group_id = ${groupId} AND c.target = ${target}
       AND a.tenant_id = c.tenant_id AND a.type = c.type AND a.key = channel_address_key(c.type, c.target)
    RETURNING a.type, a.confirmed_at IS NOT NULL AS confirmed`.execute(db);
  return rows[0];
}
