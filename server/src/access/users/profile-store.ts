import type { Db, Tx } from "../../db/database.ts";
import type { UsersTable } from "../../db/schema.generated.ts";

/** The name of a user, and how the admin app shows itself to them; null stands for the choice of the browser. */
export interface Profile {
  name: string | null;
  language: UsersTable["language"];
  /** An IANA name. */
  timeZone: string | null;
  /** The hours of the clock. */
  clock: UsersTable["clock"];
  theme: UsersTable["theme"];
}

/** Returns the profile of a user who is not deleted, and locks the row until the transaction ends. */
export async function lockProfile(tx: Tx, userId: string): Promise<Profile | undefined> {
  return await tx
    .selectFrom("users")
    .select(["name", "language", "time_zone as timeZone", "clock", "theme"])
    .where("id", "=", userId)
    .where("deleted_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function setProfile(db: Db, userId: string, { timeZone, ...profile }: Profile): Promise<void> {
  await db
    .updateTable("users")
    .set({ ...profile, time_zone: timeZone })
    .where("id", "=", userId)
    .execute();
}
