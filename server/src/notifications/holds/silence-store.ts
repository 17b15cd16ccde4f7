import { type RawBuilder, type SqlBool, sql } from "kysely";

/** SQL: anomaly `a` is a silence: it is of no rule, and no certificate that was not renewed. */
export const isSilence = (a: string): RawBuilder<SqlBool> =>
  sql`(${sql.ref(`${a}.rule_id`)} IS NULL AND ${sql.ref(`${a}.certificate_id`)} IS NULL)`;
