import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import type { AdminAuditTable } from "../db/schema.generated.ts";
import type { PageRequest } from "../lib/page.ts";
import { type Counted, countedPage, filteredPage } from "../lists/counted-page.ts";
import { createdBetween, type Period } from "../lists/created-between.ts";
import { negated } from "../lists/negated.ts";

export type AdminAuditRow = Omit<AdminAuditTable, "tenant_id">;

/** Fires `admin_audit_streamed`. */
export async function insertAct(tx: Tx, row: AdminAuditTable): Promise<void> {
  await sql`INSERT INTO admin_audit (id, tenant_id, at, actor, address, act, target, before, after)
    VALUES (${row.id}, ${row.tenant_id}, ${row.at}, ${row.actor}, ${row.address}, ${row.act}, ${row.target},
            ${json(row.before)}::text::jsonb, ${json(row.after)}::text::jsonb)`.execute(tx);
}

/** The properties of an act. */
export interface ActProperties {
  actor?: string | undefined;
  /** An act such as `user.create`, or a kind of record with a trailing dot: `user.`. */
  act?: string | undefined;
  /** The id of the record acted on. */
  target?: string | undefined;
}

export interface ActFilter extends Period, ActProperties {
  /** Properties that an act must not have. */
  not?: ActProperties | undefined;
}

/** Returns one page of a tenant's acts, newest first, with the number of matches. */
export async function listActRows(
  db: Db,
  tenantId: string,
  filter: ActFilter,
  page: PageRequest,
): Promise<Counted<AdminAuditRow>> {
  const shown = { list: "admin_audit", as: "a", columns: COLUMNS } as const;
  const conditions = conditionsOf(filter);
  if (conditions.length === 0) return await countedPage(db, tenantId, shown, page);
  return await filteredPage(db, tenantId, { ...shown, where: sql.join(conditions, sql` AND `) }, page);
}

/** Returns one page of the acts on the whole installation, newest first. */
export async function listInstallationActRows(db: Db, { skip, limit }: PageRequest): Promise<AdminAuditRow[]> {
  const { rows } = await sql<AdminAuditRow>`
    SELECT ${COLUMNS} FROM admin_audit a WHERE a.tenant_id IS NULL ORDER BY a.id DESC LIMIT ${limit} OFFSET ${skip}`.execute(
    db,
  );
  return rows;
}

/**
 * Returns the acts on these targets that ended API keys, newest first: revocations, and changes of users whose keys
 * ended with them.
 */
export async function findKeyEndRows(db: Db, tenantId: string, targets: readonly string[]): Promise<AdminAuditRow[]> {
  const { rows } = await sql<AdminAuditRow>`
    SELECT ${COLUMNS} FROM admin_audit a
     WHERE a.tenant_id = ${tenantId} AND a.target = ANY (${[...targets]}::text[])
       AND (a.act = 'key.revoke' OR jsonb_array_length(a.after->'revokedKeys') > 0)
     ORDER BY a.id DESC`.execute(db);
  return rows;
}

function conditionsOf(filter: ActFilter): RawBuilder<unknown>[] {
  return [...createdBetween("a.id", filter), ...propertyConditions(filter), ...negated(propertyConditions(filter.not))];
}

function propertyConditions({ actor, act, target }: ActProperties = {}): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (actor !== undefined) conditions.push(sql`a.actor = ${actor}`);
  if (act !== undefined) conditions.push(isAct(act));
  if (target !== undefined) conditions.push(sql`a.target = ${target}`);
  return conditions;
}

/** Returns the condition in the collation of the index, in which a prefix is a range. */
function isAct(act: string): RawBuilder<unknown> {
  const column = sql`a.act COLLATE "C"`;
  return act.endsWith(".") ? sql`starts_with(${column}, ${act})` : sql`${column} = ${act}`;
}

const COLUMNS = sql`a.id, a.at, a.actor, a.address, a.act, a.target, a.before, a.after`;

function json(state: object | null): string | null {
  return state && JSON.stringify(state);
}
