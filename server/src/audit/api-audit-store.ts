import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import type { ApiAuditTable } from "../db/schema.generated.ts";
import type { PageRequest } from "../lib/page.ts";
import { type Counted, countedPage, filteredPage } from "../lists/counted-page.ts";
import { createdBetween, type Period } from "../lists/created-between.ts";
import { negated } from "../lists/negated.ts";

export type ApiAuditRow = Omit<ApiAuditTable, "tenant_id">;

/** Fires `api_audit_streamed`. */
export async function insertWrite(tx: Tx, tenantId: string, row: ApiAuditRow): Promise<void> {
  await tx
    .insertInto("api_audit")
    .values({ tenant_id: tenantId, ...row })
    .execute();
}

/** The properties of a write. */
export interface WriteProperties {
  keyId?: string | undefined;
  /** The operation id of the route. */
  operation?: string | undefined;
  /** The kind of record: `group`, `claim` … */
  resource?: string | undefined;
  resourceId?: string | undefined;
  result?: ApiAuditRow["result"] | undefined;
}

export interface WriteFilter extends Period, WriteProperties {
  /** Properties that a write must not have. */
  not?: WriteProperties | undefined;
}

/** Returns one page, newest first, with the number of matches. */
export async function listWriteRows(
  db: Db,
  tenantId: string,
  filter: WriteFilter,
  page: PageRequest,
): Promise<Counted<ApiAuditRow>> {
  const shown = { list: "api_audit", as: "w", columns: COLUMNS } as const;
  const conditions = conditionsOf(filter);
  if (conditions.length === 0) return await countedPage(db, tenantId, shown, page);
  return await filteredPage(db, tenantId, { ...shown, where: sql.join(conditions, sql` AND `) }, page);
}

function conditionsOf(filter: WriteFilter): RawBuilder<unknown>[] {
  return [...createdBetween("w.id", filter), ...propertyConditions(filter), ...negated(propertyConditions(filter.not))];
}

function propertyConditions({ keyId, operation, resource, resourceId, result }: WriteProperties = {}) {
  const conditions: RawBuilder<unknown>[] = [];
  if (keyId !== undefined) conditions.push(sql`w.key_id = ${keyId}`);
  if (operation !== undefined) conditions.push(sql`w.operation = ${operation}`);
  if (resource !== undefined) conditions.push(sql`w.resource = ${resource}`);
  if (resourceId !== undefined) conditions.push(sql`w.resource_id = ${resourceId}`);
  if (result !== undefined) conditions.push(sql`w.result = ${result}`);
  return conditions;
}

const COLUMNS = sql`w.id, w.at, w.key_id, w.operation, w.resource, w.resource_id, w.result, w.address, w.request_id,
  w.certificate_id, w.serial_number, w.fingerprint_sha256`;
