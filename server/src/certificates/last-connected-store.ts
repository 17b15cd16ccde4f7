import { sql } from "kysely";
import { plainArray } from "../db/array-literal.ts";
import { type BoundStatement, statement } from "../db/statement.ts";

const storeLastConnected = statement<{ ids: string; times: string }, object>(
  "last-connected",
  (p) => sql`
  WITH news AS (SELECT * FROM unnest(${p.ids}::text::uuid[], ${p.times}::text::timestamptz[]) AS n(id, at)),
  locked AS (SELECT n.* FROM certificates c JOIN news n USING (id) ORDER BY c.id FOR NO KEY UPDATE OF c)
  UPDATE certificates c SET last_connected_at = greatest(c.last_connected_at, n.at) FROM locked n WHERE c.id = n.id`,
);

/**
 * Returns the statement that records when certificates last opened a session. It locks rows in one order to prevent
 * deadlocks.
 */
export function lastConnectedStatement(
  connected: readonly (readonly [certificateId: string, at: Date])[],
): BoundStatement {
  const times = connected.map(([, at]) => at.toISOString());
  return storeLastConnected.with({ ids: plainArray(connected.map(([id]) => id)), times: plainArray(times) });
}
