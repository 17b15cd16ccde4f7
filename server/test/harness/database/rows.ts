import type { Database } from "../../../src/db/database.ts";
import { runSql } from "./run-sql.ts";

/** Tables without those of deliveries, audit streams and roll-ups, on which the service works at its own times. */
const TABLES = `
SELECT quote_ident(table_name) AS name FROM information_schema.tables
 WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'deliver%'
   AND table_name NOT IN ('audit_streams', 'roll_up_marks')`;

/**
 * Returns, as sorted text, every row of these tables that contains one of `marks`: rows that belong to a tenant or
 * refer to its records.
 */
export async function rowsNaming({ db }: Database, marks: readonly string[]): Promise<string[]> {
  const tables = await runSql<{ name: string }>(db, TABLES, []);
  const each = tables.map(
    ({ name }) => `SELECT '${name} ' || t::text AS row FROM ${name} t WHERE t::text LIKE ANY($1)`,
  );
  const rows = await runSql<{ row: string }>(db, each.join(" UNION ALL "), [marks.map((mark) => `%${mark}%`)]);
  return rows.map(({ row }) => row).sort();
}
