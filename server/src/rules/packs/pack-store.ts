import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { unlessTaken } from "../../db/refusal.ts";
import type { PageRequest } from "../../lib/page.ts";
import { contains, countedPage } from "../../lists/counted-page.ts";
import { searchPage } from "../../lists/search-page.ts";
import type { Rule } from "../rule.ts";

export interface ThresholdRow {
  id: string;
  name: string;
  description: string;
  enabled: boolean;
  rules: Rule[];
  external_id: string | null;
  created_at: Date;
}

const COLUMNS = sql`t.id, t.name, t.description, t.enabled, t.rules, t.external_id, t.created_at`;

export async function insertThreshold(tx: Tx, tenantId: string, row: ThresholdRow): Promise<void> {
  const insert = sql`
    INSERT INTO thresholds (id, tenant_id, name, description, enabled, rules, external_id, created_at, updated_at)
    VALUES (${row.id}, ${tenantId}, ${row.name}, ${row.description}, ${row.enabled},
            ${JSON.stringify(row.rules)}::text::json, ${row.external_id}, ${row.created_at}, ${row.created_at})`;
  await unlessTaken("thresholds_external_id", row.external_id, () => insert.execute(tx));
}

export async function findThreshold(db: Db, tenantId: string, id: string): Promise<ThresholdRow | undefined> {
  const { rows } = await sql<ThresholdRow>`
    SELECT ${COLUMNS} FROM thresholds t WHERE t.tenant_id = ${tenantId} AND t.id = ${id}`.execute(db);
  return rows[0];
}

/** Lists one page, newest first, and the total number of matches. `q` is a part of the name, case-insensitive. */
export function listThresholdRows(
  db: Db,
  tenantId: string,
  q: string | undefined,
  page: PageRequest,
): Promise<{ rows: ThresholdRow[]; total: number }> {
  const shown = { list: "thresholds", as: "t", columns: COLUMNS } as const;
  if (q === undefined) return countedPage(db, tenantId, shown, page);
  return searchPage(db, tenantId, { ...shown, matches: contains("t.name", q) }, page);
}
