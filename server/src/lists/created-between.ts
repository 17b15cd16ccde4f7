import { type RawBuilder, type SqlBool, sql } from "kysely";
import { uuidFloor } from "../lib/ids.ts";

/** A period from `from` on, before `to`. */
export interface Period {
  from?: Date | undefined;
  to?: Date | undefined;
}

/**
 * Returns the SQL condition that the record with the UUIDv7 in `column` was created in the period. Ids sort by
 * creation, so the index of a list finds them.
 */
export function createdBetween(column: string, { from, to }: Period): RawBuilder<SqlBool>[] {
  const key = sql.ref(column);
  return [
    ...(from === undefined ? [] : [sql<SqlBool>`${key} >= ${uuidFloor(from)}::uuid`]),
    ...(to === undefined ? [] : [sql<SqlBool>`${key} < ${uuidFloor(to)}::uuid`]),
  ];
}
