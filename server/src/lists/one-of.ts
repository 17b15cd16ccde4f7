import { type RawBuilder, type SqlBool, sql } from "kysely";

/** SQL: the text has this value, or one of these. */
export function isOneOf(text: RawBuilder<string>, wanted: string | readonly string[]): RawBuilder<SqlBool> {
  return typeof wanted === "string"
    ? sql<SqlBool>`${text} = ${wanted}`
    : sql<SqlBool>`${text} = ANY (${[...wanted]}::text[])`;
}
