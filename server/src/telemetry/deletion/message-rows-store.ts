import { sql } from "kysely";
import { plainArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import type { Pruned } from "../../db/prune.ts";
import type { Leaf } from "./partition-rows-store.ts";

/** Returns the devices' shapes that have a row in a partition of messages or chunks. */
export async function shapesIn(db: Db, { name }: Pick<Leaf, "name">, uids: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ shape_no: number }>`
    SELECT s.shape_no FROM telemetry_shapes s
     WHERE s.device_uid = ANY (${plainArray(uids)}::text::uuid[])
       AND EXISTS (SELECT FROM ${sql.table(name)} m WHERE m.shape_no = s.shape_no)`.execute(db);
  return rows.map(({ shape_no }) => shape_no);
}

/** Deletes up to `limit` rows of a shape after the time `from`, in PostgreSQL's text format to the microsecond. */
export async function deleteMessages(
  db: Db,
  { name }: Pick<Leaf, "name">,
  shapeNo: number,
  from: string,
  limit: number,
): Promise<Pruned<string>> {
  const { rows } = await sql<{ last: string | null; rows: number }>`
    WITH gone AS (
      DELETE FROM ${sql.table(name)} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${sql.table(name)} WHERE shape_no = ${shapeNo} AND ts > ${from}::timestamptz ORDER BY ts LIMIT ${limit}))
      RETURNING ts)
    SELECT max(ts)::text AS last, count(*)::int AS rows FROM gone`.execute(db);
  return rows[0]!;
}
