import type { Db } from "../../db/database.ts";
import type { Caller } from "../caller.ts";

/** Whether the user who asks is still active and has the same role: for work that goes on for seconds. True for other callers. */
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
