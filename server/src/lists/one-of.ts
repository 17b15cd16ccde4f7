import { type RawBuilder, type SqlBool, sql } from "kysely";

/**
 * Returns the SQL condition that the text is one of these values. For a single value, an index that begins with it has
 * the order of the list; for an array it does not.
 */
export function isOneOf(text: RawBuilder<string>, wanted: string | readonly string[]): RawBuilder<SqlBool> {
  const values = [wanted].flat();
  return values.length === 1 ? sql<SqlBool>`${text} = ${values[0]}` : sql<SqlBool>`${text} = ANY (${values}::text[])`;
}
