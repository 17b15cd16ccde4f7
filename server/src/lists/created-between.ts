import { type RawBuilder, type SqlBool, sql } from "kysely";

/** From `from` on, before `to`. */
export interface Period {
  from?: Date | undefined;
  to?: Date | undefined;
}

/** SQL: the record with the UUIDv7 in `column` was created in the period. Ids sort by creation, so the index of a list finds them. */
export function createdBetween(column: string, { from, to }: Period): RawBuilder<SqlBool>[] {
  const key = sql.ref(column);
  return [
    ...(from === undefined ? [] : [sql<SqlBool>`${key} >= ${firstId(from)}::uuid`]),
    ...(to === undefined ? [] : [sql<SqlBool>`${key} < ${firstId(to)}::uuid`]),
  ];
}

/** The least UUIDv7 of a millisecond. A moment before 1970 has none, and no record is older. */
function firstId(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
