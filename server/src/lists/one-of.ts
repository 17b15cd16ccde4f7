import { type RawBuilder, type SqlBool, sql } from "kysely";

/** SQL: the text has this value, or one of these. Of one value an index that begins with it has the order of the list, of an array it has not. */
export function isOneOf(text: RawBuilder<string>, wanted: string | readonly string[]): RawBuilder<SqlBool> {
  const values = [wanted].flat();
  return values.length === 1 ? sql<SqlBool>`${text} = ${values[0]}` : sql<SqlBool>`${text} = ANY (${values}::text[])`;
}
