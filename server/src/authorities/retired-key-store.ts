import type { Selectable } from "kysely";
import type { RetiredKeysTable } from "../db/schema.generated.ts";
import type { Db, Tx } from "../db/types.ts";

export type RetiredKeyRow = Selectable<RetiredKeysTable>;

/** Lists the retired keys, newest first. */
export async function listRetiredKeys(db: Db): Promise<RetiredKeyRow[]> {
  return await db.selectFrom("retired_keys").selectAll().orderBy("id", "desc").execute();
}

/** Replaces the retired keys by `rows`. There are three for each rotation of the last month. */
export async function replaceRetiredKeys(tx: Tx, rows: readonly RetiredKeyRow[]): Promise<void> {
  await tx.deleteFrom("retired_keys").execute();
  await insertRetiredKeys(tx, rows);
}

export async function insertRetiredKeys(tx: Tx, rows: readonly RetiredKeyRow[]): Promise<void> {
  if (rows.length > 0)
    await tx
      .insertInto("retired_keys")
      .values([...rows])
      .execute();
}

/** Deletes keys that are no longer needed. */
export async function deleteUnneededKeys(tx: Tx, now: Date): Promise<void> {
  await tx.deleteFrom("retired_keys").where("needed_until", "<=", now).execute();
}
