import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import type { AdminAuditTable } from "../db/schema.generated.ts";
import type { PageRequest } from "../lib/page.ts";

export type AdminAuditRow = Omit<AdminAuditTable, "tenant_id">;

export async function insertAct(tx: Tx, row: AdminAuditTable): Promise<void> {
  await sql`INSERT INTO admin_audit (id, tenant_id, at, actor, address, act, target, before, after)
    VALUES (${row.id}, ${row.tenant_id}, ${row.at}, ${row.actor}, ${row.address}, ${row.act}, ${row.target},
            ${json(row.before)}::text::jsonb, ${json(row.after)}::text::jsonb)`.execute(tx);
}

/** One page, newest first; `null` for the acts on the whole installation. */
export async function listActRows(
  db: Db,
  tenantId: string | null,
  { skip, limit }: PageRequest,
): Promise<AdminAuditRow[]> {
  return await db
    .selectFrom("admin_audit")
    .select(["id", "at", "actor", "address", "act", "target", "before", "after"])
    .where("tenant_id", tenantId === null ? "is" : "=", tenantId)
    .orderBy("id", "desc")
    .limit(limit)
    .offset(skip)
    .execute();
}

function json(state: object | null): string | null {
  return state && JSON.stringify(state);
}
