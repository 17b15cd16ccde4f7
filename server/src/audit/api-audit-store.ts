import type { Db, Tx } from "../db/database.ts";
import type { ApiAuditTable } from "../db/schema.generated.ts";
import type { PageRequest } from "../lib/page.ts";

export type ApiAuditRow = Omit<ApiAuditTable, "tenant_id">;

export async function insertWrite(tx: Tx, tenantId: string, row: ApiAuditRow): Promise<void> {
  await tx
    .insertInto("api_audit")
    .values({ tenant_id: tenantId, ...row })
    .execute();
}

/** One page, newest first. */
export async function listWriteRows(db: Db, tenantId: string, { skip, limit }: PageRequest): Promise<ApiAuditRow[]> {
  return db
    .selectFrom("api_audit")
    .selectAll()
    .where("tenant_id", "=", tenantId)
    .orderBy("id", "desc")
    .limit(limit)
    .offset(skip)
    .execute();
}
