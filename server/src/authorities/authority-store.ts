import { type Insertable, type Selectable, sql } from "kysely";
import { notify } from "../db/database.ts";
import type { AuthoritiesTable } from "../db/schema.generated.ts";
import type { Db, Tx } from "../db/types.ts";

export type AuthorityRow = Selectable<AuthoritiesTable>;
export type NewAuthorityRow = Insertable<AuthoritiesTable>;
export type Role = AuthorityRow["role"];

/** Tells the other processes that the hierarchy is another one now. */
export const CHANGED_CHANNEL = "muster_authorities";

/** Arbitrary and fixed: whoever changes the hierarchy holds it, so that two processes change it one after the other. */
const AUTHORITIES_LOCK = 0x6d_75_63_61;
const MASTER_KEY_CHECK = "master_key_check";

/** Waits until nobody else changes the hierarchy; held until `tx` ends. Read the rows afterwards, not before. */
export async function lockAuthorities(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${sql.lit(AUTHORITIES_LOCK)})`.execute(tx);
}

/** Every generation of every role, oldest first. */
export async function listAuthorities(db: Db): Promise<AuthorityRow[]> {
  return await db.selectFrom("authorities").selectAll().orderBy("created_at").orderBy("id").execute();
}

/** The generations that are still of use, oldest first. */
export async function listLiveAuthorities(db: Db): Promise<AuthorityRow[]> {
  const live = db.selectFrom("authorities").selectAll().where("status", "!=", "retired");
  return await live.orderBy("created_at").orderBy("id").execute();
}

export async function insertAuthority(tx: Tx, row: NewAuthorityRow): Promise<void> {
  await tx.insertInto("authorities").values(row).execute();
}

/** `upcoming` to `active`. */
export async function activateAuthority(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable("authorities").set({ status: "active", activated_at: now }).where("id", "=", id).execute();
}

/** `active` to `retiring`: it issues nothing from `now` on. */
export async function startRetiring(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable("authorities").set({ status: "retiring", retiring_at: now }).where("id", "=", id).execute();
}

/** To `retired`, and its private key is gone. */
export async function retireAuthority(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable("authorities")
    .set({ status: "retired", retired_at: now, private_key_pem: null })
    .where("id", "=", id)
    .execute();
}

/** Reaches every process, this one included, once `tx` has committed. */
export async function announceChange(tx: Tx): Promise<void> {
  await notify(tx, CHANGED_CHANNEL, "");
}

/** What `masterKeyCheck` gave when the first process started; `undefined` before that. */
export async function readMasterKeyCheck(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom("settings").select("value").where("key", "=", MASTER_KEY_CHECK).executeTakeFirst();
  return row?.value;
}

export async function insertMasterKeyCheck(tx: Tx, value: string): Promise<void> {
  await tx.insertInto("settings").values({ key: MASTER_KEY_CHECK, value }).execute();
}
