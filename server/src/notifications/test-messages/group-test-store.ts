import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import type { ChannelKind } from "../../groups/groups.ts";
import { shownTarget } from "../delivery/shown-target-store.ts";

export interface TestRow {
  id: string;
  channel: ChannelKind;
  target: string;
  created_at: Date;
  state: "pending" | "sent" | "failed";
  last_error: string | null;
}

/** Serializes the tests of a group until the transaction ends. */
export async function lockTests(tx: Tx, groupId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`muster group test ${groupId}`}, 0))`.execute(tx);
}

/** Returns when the group was last tested; `undefined` if not within the retention of deliveries. */
export async function lastTest(tx: Tx, groupId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ created_at: Date }>`
    SELECT created_at FROM deliveries WHERE group_id = ${groupId} AND type = 'group.test'
     ORDER BY id DESC LIMIT 1`.execute(tx);
  return rows[0]?.created_at;
}

/** SQL: joins the digest `g` in which a delivery `d` was finally sent, since unsent digests are combined again. */
export const SENT_IN = sql`LEFT JOIN LATERAL (
  WITH RECURSIVE up AS (
      SELECT o.digest_id, o.state, o.last_error FROM deliveries o WHERE o.id = d.digest_id
    UNION ALL
      SELECT o.digest_id, o.state, o.last_error FROM up JOIN deliveries o ON o.id = up.digest_id
  ) SELECT up.state, up.last_error FROM up WHERE up.digest_id IS NULL) g ON true`;

/**
 * SQL: the {@link TestRow} of a delivery `d` for the asking user. A message in a digest `g` has the state of the
 * digest.
 */
export const testRow = (
  asking: string | null,
) => sql`d.id, d.channel, ${shownTarget(asking)} AS target, d.created_at, coalesce(g.state, d.state) AS state,
  coalesce(g.last_error, d.last_error) AS last_error`;

/** Lists the newest test messages of the group. */
export async function listTestRows(
  db: Db,
  { tenantId, groupId, asking }: { tenantId: string; groupId: string; asking: string | null },
  limit: number,
): Promise<TestRow[]> {
  const { rows } = await sql<TestRow>`
    SELECT ${testRow(asking)}
      FROM deliveries d ${SENT_IN}
     WHERE d.tenant_id = ${tenantId} AND d.group_id = ${groupId} AND d.type = 'group.test'
     ORDER BY d.id DESC LIMIT ${limit}`.execute(db);
  return rows;
}
