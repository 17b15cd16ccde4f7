import { CompiledQuery } from "kysely";
import type { Db } from "../../../src/db/database.ts";

/** Runs a test's SQL with positional parameters. */
export async function runSql<Row>(db: Db, text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]) as CompiledQuery<Row>);
  return rows;
}
