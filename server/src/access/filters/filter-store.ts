import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";

/** A user's named filter of a list. */
export interface SavedFilter {
  id: string;
  list: string;
  name: string;
  /** The filter's fields by name, as in the screen's address. */
  values: Record<string, string>;
}

export interface FilterOwner {
  tenantId: string;
  userId: string;
}

const COLUMNS = sql`id, list, name, values`;
const of = ({ tenantId, userId }: FilterOwner) => sql`tenant_id = ${tenantId} AND user_id = ${userId}`;

/** Returns the user's filters of a list, sorted by name. */
export async function listFilterRows(db: Db, owner: FilterOwner, list: string): Promise<SavedFilter[]> {
  const { rows } = await sql<SavedFilter>`
    SELECT ${COLUMNS} FROM saved_filters WHERE ${of(owner)} AND list = ${list} ORDER BY lower(name), id`.execute(db);
  return rows;
}

/** Serializes changes of a user's filters until the transaction ends. */
export async function lockFilters(tx: Tx, { userId }: FilterOwner): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`muster saved filters ${userId}`}, 0))`.execute(tx);
}

/** @returns whether the name was free */
export async function insertFilter(tx: Tx, { tenantId, userId }: FilterOwner, filter: SavedFilter): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO saved_filters (id, tenant_id, user_id, list, name, values)
    VALUES (${filter.id}, ${tenantId}, ${userId}, ${filter.list}, ${filter.name}, ${JSON.stringify(filter.values)}::jsonb)
    ON CONFLICT DO NOTHING RETURNING 1`.execute(tx);
  return rows.length > 0;
}

/**
 * @returns the renamed filter; `taken`: another filter of the list has the name; `undefined`: the user has no such
 * filter
 */
export async function renameFilterRow(
  tx: Tx,
  owner: FilterOwner,
  id: string,
  name: string,
): Promise<SavedFilter | "taken" | undefined> {
  const { rows } = await sql<SavedFilter & { taken: boolean }>`
    SELECT ${COLUMNS}, EXISTS (
        SELECT FROM saved_filters o WHERE o.user_id = f.user_id AND o.list = f.list AND o.id <> f.id
           AND lower(o.name) = lower(${name})) AS taken
      FROM saved_filters f WHERE ${of(owner)} AND id = ${id}`.execute(tx);
  const [found] = rows;
  if (!found) return undefined;
  const { taken, ...filter } = found;
  if (taken) return "taken";
  await sql`UPDATE saved_filters SET name = ${name} WHERE ${of(owner)} AND id = ${id}`.execute(tx);
  return { ...filter, name };
}

export async function deleteFilterRow(db: Db, owner: FilterOwner, id: string): Promise<void> {
  await sql`DELETE FROM saved_filters WHERE ${of(owner)} AND id = ${id}`.execute(db);
}
