import { type RawBuilder, type SqlBool, sql } from "kysely";

/** Returns SQL conditions that none of the given ones holds; an unknown result counts as not holding. */
export function negated(conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool>[] {
  return conditions.map((condition) => sql<SqlBool>`(${condition}) IS NOT TRUE`);
}
