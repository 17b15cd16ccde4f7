import type { Db } from "../../db/database.ts";
import type { Caller } from "../caller.ts";

/**
 * Returns whether the calling user is still active with the same role, for work that takes seconds. True for other
 * callers.
 */
export async function isStanding(db: Db, { rights }: Pick<Caller, "rights">): Promise<boolean> {
  if (rights.kind !== "user") return true;
  const found = db
    .selectFrom("users")
    .select("id")
    .where("id", "=", rights.userId)
    .where("role", "=", rights.role)
    .where("status", "=", "active")
    .where("deleted_at", "is", null);
  return (await found.executeTakeFirst()) !== undefined;
}
