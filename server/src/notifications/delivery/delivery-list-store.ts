import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { ChannelKind } from "../../groups/groups.ts";
import type { PageRequest } from "../../lib/page.ts";
import { createdBetween, type Period } from "../../lists/created-between.ts";
import { type Counted, totalOf } from "../../lists/shown.ts";
import { isPart, nextPart, type WalkKey } from "../../lists/walk.ts";
import type { DeferredBy } from "../quiet.ts";
import { shownTarget } from "./shown-target-store.ts";

export const DELIVERY_STATES = ["pending", "sent", "failed", "digested", "deferred"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A message to one address. */
export interface DeliveryRecord {
  id: string;
  type: string;
  channel: ChannelKind;
  target: string;
  userId: string | null;
  groupId: string | null;
  anomalyId: string | null;
  createdAt: Date;
  /** The time of the next attempt while it is pending. */
  nextAt: Date;
  state: DeliveryState;
  doneAt: Date | null;
  lastError: string | null;
  /** The user's quiet choice that deferred it, and until when. It is re-evaluated then. */
  deferredBy: DeferredBy | null;
  deferredUntil: Date | null;
  /** The digest mail that contains it. */
  digestId: string | null;
  attempts: { attempt: number; at: string; error: string | null }[];
}

/** A filter for deliveries. `from` and `to` refer to the creation time. */
export interface DeliveryFilter extends Period {
  anomalyId?: string | undefined;
  groupId?: string | undefined;
  channel?: ChannelKind | undefined;
  state?: DeliveryState | undefined;
  notState?: DeliveryState | undefined;
  /** Includes only messages of this user's groups, and the user's own. */
  viewer?: string | undefined;
  /** The asking user, who sees the addresses of their own channels; `null` for the shell. */
  asking: string | null;
}

const columnsFor = (
  asking: string | null,
) => sql`d.id, d.type, d.channel, ${shownTarget(asking)} AS target, d.user_id AS "userId", d.group_id AS "groupId",
  d.anomaly_id AS "anomalyId", d.created_at AS "createdAt", d.next_at AS "nextAt", d.state, d.done_at AS "doneAt",
  d.last_error AS "lastError", d.deferred_by AS "deferredBy", d.deferred_until AS "deferredUntil", d.digest_id AS "digestId",
  (SELECT coalesce(jsonb_agg(jsonb_build_object('attempt', a.attempt, 'at', a.at, 'error', a.error) ORDER BY a.attempt), '[]')
     FROM delivery_attempts a WHERE a.delivery_id = d.id) AS attempts`;

const NEWEST_FIRST: WalkKey = { by: sql`d.id`, type: "uuid", descending: true };

/** Lists one page, newest first, with every attempt, and the total number. */
export async function listDeliveryRows(
  db: Db,
  tenantId: string,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Counted<DeliveryRecord>> {
  const listed = sql`FROM deliveries d WHERE d.tenant_id = ANY (ARRAY[${tenantId}]::uuid[]) AND ${conditionOf(filter)}`;
  const common = sql`d.tenant_id`;
  const columns = columnsFor(filter.asking);
  if (isPart(page)) return await nextPart(db, { columns, from: listed, keys: [NEWEST_FIRST], common }, page);
  const { skip, limit, countAhead } = page;
  const { rows } = await sql<DeliveryRecord>`
    WITH page AS MATERIALIZED (
      SELECT d.id ${listed} ORDER BY d.tenant_id DESC, d.id DESC LIMIT ${limit}::bigint OFFSET ${skip}::bigint
    )
    SELECT ${columns} FROM page JOIN deliveries d ON d.id = page.id ORDER BY d.id DESC`.execute(db);
  const most = countAhead === undefined ? null : skip + limit + countAhead;
  const counted = await sql<{
    n: string;
  }>`SELECT count(*) AS n FROM (SELECT ${listed} LIMIT ${most}::bigint) t`.execute(db);
  return { rows, ...totalOf(Number(counted.rows[0]!.n), page) };
}

/** Builds the filter. The state is a literal in the statement, so that the indexes on one state apply. */
function conditionOf({ anomalyId, groupId, channel, state, notState, viewer, ...period }: DeliveryFilter) {
  const conditions: RawBuilder<unknown>[] = [sql`true`, ...createdBetween("d.id", period)];
  if (anomalyId !== undefined) conditions.push(sql`d.anomaly_id = ${anomalyId}::uuid`);
  if (groupId !== undefined) conditions.push(sql`d.group_id = ${groupId}::uuid`);
  if (channel !== undefined) conditions.push(sql`d.channel = ${channel}`);
  if (state !== undefined) conditions.push(sql`d.state = ${sql.lit(state)}`);
  if (notState !== undefined) conditions.push(sql`d.state <> ${notState}`);
  if (viewer !== undefined)
    conditions.push(
      sql`(d.user_id = ${viewer}::uuid OR EXISTS (SELECT FROM shared_group_members m WHERE m.group_id = d.group_id AND m.user_id = ${viewer}::uuid))`,
    );
  return sql.join(conditions, sql` AND `);
}
