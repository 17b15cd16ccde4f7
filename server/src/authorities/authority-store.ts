import { type Insertable, type Selectable, sql } from "kysely";
import { notify } from "../db/database.ts";
import type { AuthoritiesTable } from "../db/schema.generated.ts";
import type { Db, Tx } from "../db/types.ts";
import { listRetiredKeys, type RetiredKeyRow } from "./retired-key-store.ts";

export type AuthorityRow = Selectable<AuthoritiesTable>;
export type NewAuthorityRow = Insertable<AuthoritiesTable>;
export type Role = AuthorityRow["role"];

/** The NOTIFY channel for changes of the hierarchy. */
export const CHANGED_CHANNEL = "muster_authorities";

/** An arbitrary constant: the advisory lock that serializes changes of the hierarchy. */
const AUTHORITIES_LOCK = 0x6d_75_63_61;
const MASTER_KEY_CHECK = "master_key_check";

/** Waits until no other transaction changes the hierarchy, and locks it until `tx` ends. Read the rows afterwards. */
export async function lockAuthorities(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${sql.lit(AUTHORITIES_LOCK)})`.execute(tx);
}

/** Waits until no other transaction changes the hierarchy, and prevents changes until `tx` ends. The lock is shared. */
export async function awaitRotation(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock_shared(${sql.lit(AUTHORITIES_LOCK)})`.execute(tx);
}

/** Lists every generation of every role, oldest first. */
export async function listAuthorities(db: Db): Promise<AuthorityRow[]> {
  return await db.selectFrom("authorities").selectAll().orderBy("created_at").orderBy("id").execute();
}

/** Lists the generations that are not retired, oldest first. */
export async function listAuthoritiesInUse(db: Db): Promise<AuthorityRow[]> {
  const inUse = db.selectFrom("authorities").selectAll().where("status", "!=", "retired");
  return await inUse.orderBy("created_at").orderBy("id").execute();
}

export async function insertAuthority(tx: Tx, row: NewAuthorityRow): Promise<void> {
  await tx.insertInto("authorities").values(row).execute();
}

/** Changes an authority from `upcoming` to `active`. */
export async function activateAuthority(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable("authorities").set({ status: "active", activated_at: now }).where("id", "=", id).execute();
}

/** Changes an authority from `active` to `retiring`: it issues nothing after `now` and stays trusted. */
export async function startRetiring(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable("authorities").set({ status: "retiring", retiring_at: now }).where("id", "=", id).execute();
}

/** Changes an authority to `retired` and deletes its private key. */
export async function retireAuthority(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable("authorities")
    .set({ status: "retired", retired_at: now, private_key_pem: null })
    .where("id", "=", id)
    .execute();
}

/** Notifies every process, including this one, once `tx` has committed. */
export async function notifyChange(tx: Tx): Promise<void> {
  await notify(tx, CHANGED_CHANNEL, "");
}

/** Returns the check value that the first process stored; `undefined` before that. */
export async function readMasterKeyCheck(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom("settings").select("value").where("key", "=", MASTER_KEY_CHECK).executeTakeFirst();
  return row?.value;
}

export async function updateMasterKeyCheck(tx: Tx, value: string): Promise<void> {
  await tx.updateTable("settings").set({ value }).where("key", "=", MASTER_KEY_CHECK).execute();
}

export async function updatePrivateKey(tx: Tx, id: string, encryptedPem: string): Promise<void> {
  await tx.updateTable("authorities").set({ private_key_pem: encryptedPem }).where("id", "=", id).execute();
}

/** The stored state that a process loads in order to serve. */
export interface StoredHierarchy {
  /** The generations in use, oldest first. */
  rows: AuthorityRow[];
  /** The check value of the master key. */
  check: string | undefined;
  retiredKeys: RetiredKeyRow[];
}

/** Reads the hierarchy in one snapshot, since a rotation of the master key changes all of it in one transaction. */
export async function readHierarchy(db: Db): Promise<StoredHierarchy> {
  return await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (tx) => ({
      rows: await listAuthoritiesInUse(tx),
      check: await readMasterKeyCheck(tx),
      retiredKeys: await listRetiredKeys(tx),
    }));
}

export async function insertMasterKeyCheck(tx: Tx, value: string): Promise<void> {
  await tx.insertInto("settings").values({ key: MASTER_KEY_CHECK, value }).execute();
}
