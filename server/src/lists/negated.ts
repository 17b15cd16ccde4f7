import { type RawBuilder, type SqlBool, sql } from "kysely";

/** SQL: none of the conditions holds; what is unknown of a row does not hold. */
export function negated(conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool>[] {
  return conditions.map((condition) => sql<SqlBool>`(${condition}) IS NOT TRUE`);
}
