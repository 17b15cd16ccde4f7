import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { PageRequest } from "../../lib/page.ts";
import type { WebhookPlace } from "./webhook-id.ts";

/** The newest confirmation request or test of a webhook since it was added. */
export interface WebhookCheck {
  type: "channel.confirmation" | "webhook.test";
  at: Date;
  state: "pending" | "sent" | "failed";
  /** The error of the last attempt. */
  error: string | null;
}

/** A webhook with the known state of its address. */
export interface WebhookRow {
  group_id: string;
  group_name: string;
  key: Buffer;
  target: string;
  created_at: Date;
  secret_seed: string;
  former_until: Date | null;
  tested_at: Date | null;
  request_at: Date | null;
  requested_at: Date | null;
  expires_at: Date | null;
  confirmed_at: Date | null;
  disabled_at: Date | null;
  check_type: WebhookCheck["type"] | null;
  check_at: Date | null;
  check_state: WebhookCheck["state"] | null;
  check_error: string | null;
}

const COLUMNS = sql`w.group_id, g.name AS group_name, w.key, w.target, w.created_at, w.secret_seed, w.former_until, w.tested_at,
  a.request_at, a.requested_at, a.token_expires_at AS expires_at, a.confirmed_at, x.disabled_at,
  c.type AS check_type, c.created_at AS check_at, c.state AS check_state, c.last_error AS check_error`;

/**
 * SQL: joins the known state of webhooks `w`. A confirmation belongs to the address, whichever group named it, unless
 * it was for a user's own channel. A test belongs to the webhook. Messages older than a webhook were for others at its
 * address.
 */
const KNOWN = sql`JOIN shared_groups g ON g.id = w.group_id
  LEFT JOIN channel_addresses a ON a.tenant_id = w.tenant_id AND a.type = 'webhook' AND a.key = w.key
  LEFT JOIN disabled_webhooks x ON x.tenant_id = w.tenant_id AND x.target_sha256 = w.key
  LEFT JOIN LATERAL (
    SELECT d.type, d.created_at, d.state, d.last_error FROM deliveries d
     WHERE d.queue = md5(w.tenant_id::text || ' webhook ' || w.target)::uuid
       AND d.type IN ('channel.confirmation', 'webhook.test')
       AND d.user_id IS NULL AND d.created_at >= w.created_at AND (d.type = 'channel.confirmation' OR d.group_id = w.group_id)
     ORDER BY d.id DESC LIMIT 1) c ON true`;

/** Lists one page of the tenant's webhooks, newest first, and the total number, which the quota of channels bounds. */
export async function listWebhookRows(
  db: Db,
  tenantId: string,
  groupId: string | undefined,
  { skip, limit }: PageRequest,
): Promise<{ rows: WebhookRow[]; total: number }> {
  const ofGroup = groupId === undefined ? sql`true` : sql`w.group_id = ${groupId}::uuid`;
  const listed = sql`FROM webhooks w WHERE w.tenant_id = ${tenantId} AND ${ofGroup}`;
  const newestFirst = sql`w.created_at DESC, w.group_id DESC, w.key DESC`;
  const { rows } = await sql<WebhookRow>`
    WITH page AS MATERIALIZED (
      SELECT w.* ${listed} ORDER BY ${newestFirst} LIMIT ${limit}::bigint OFFSET ${skip}::bigint)
    SELECT ${COLUMNS} FROM page w ${KNOWN} ORDER BY ${newestFirst}`.execute(db);
  const counted = await sql<{ n: number }>`SELECT count(*)::int AS n ${listed}`.execute(db);
  return { rows, total: counted.rows[0]!.n };
}

/** Finds the webhook, if the tenant has it. */
export async function findWebhook(db: Db, tenantId: string, place: WebhookPlace): Promise<WebhookRow | undefined> {
  const { rows } =
    await sql<WebhookRow>`SELECT ${COLUMNS} FROM webhooks w ${KNOWN} WHERE ${at(tenantId, place)}`.execute(db);
  return rows[0];
}

/** Records a test, unless there was one after `since`. @returns whether it did */
export async function recordTest(
  tx: Tx,
  tenantId: string,
  place: WebhookPlace,
  { now, since }: { now: Date; since: Date },
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE webhooks w SET tested_at = ${now}
     WHERE ${at(tenantId, place)} AND (w.tested_at IS NULL OR w.tested_at <= ${since}) RETURNING 1`.execute(tx);
  return rows.length > 0;
}

/** Replaces a webhook's secret. @returns whether the webhook exists */
export async function replaceSeed(
  tx: Tx,
  tenantId: string,
  place: WebhookPlace,
  { seed, formerUntil }: { seed: string; formerUntil: Date },
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE webhooks w SET former_seed = secret_seed, former_until = ${formerUntil}, secret_seed = ${seed}::uuid
     WHERE ${at(tenantId, place)} RETURNING 1`.execute(tx);
  return rows.length > 0;
}

/** SQL: `w` is the webhook that an id identifies. */
function at(tenantId: string, { groupId, keyStart }: WebhookPlace): RawBuilder<unknown> {
  return sql`w.tenant_id = ${tenantId} AND w.group_id = ${groupId}::uuid AND substring(w.key FOR 16) = ${keyStart}::bytea`;
}
