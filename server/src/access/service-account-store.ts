import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { violatedUnique } from "../db/refusal.ts";
import { isUuid } from "../lib/ids.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { alreadyExists } from "../lib/request-errors.ts";
import type { Role } from "./caller.ts";

/** A service account that is not deleted, with the person to contact. */
export interface AccountRow {
  id: string;
  name: string;
  role: Role;
  status: "active" | "deactivated";
  created_at: Date;
  ends_at: Date;
  contact_id: string;
  contact_email: string;
  /** False if the contact is deactivated or deleted. */
  contact_active: boolean;
  group_ids: string[];
  address_ranges: string[];
}

const LISTED = sql`a.id, a.name, a.role, a.status, a.created_at, a.ends_at, a.address_ranges, a.contact_id, c.email AS contact_email,
  c.status = 'active' AND c.deleted_at IS NULL AS contact_active,
  ARRAY(SELECT m.group_id::text FROM shared_group_members m WHERE m.user_id = a.id ORDER BY m.group_id) AS group_ids`;

const accountsOf = (tenantId: string, more = sql`true`) => sql`
  FROM users a JOIN users c ON c.id = a.contact_id
 WHERE a.tenant_id = ${tenantId} AND a.kind = 'service' AND a.deleted_at IS NULL AND ${more}`;

/** Lists the service accounts of a tenant by name. A quota bounds them. */
export async function listAccountRows(
  db: Db,
  tenantId: string,
  { skip, limit }: PageRequest,
): Promise<Page<AccountRow>> {
  const { rows: items } = await sql<AccountRow>`
    SELECT ${LISTED} ${accountsOf(tenantId)} ORDER BY lower(a.name), a.id LIMIT ${limit} OFFSET ${skip}`.execute(db);
  const counted = await sql<{ total: number }>`SELECT count(*)::int AS total ${accountsOf(tenantId)}`.execute(db);
  return { items, total: counted.rows[0]!.total, skip, limit };
}

/** Returns the account with this id, or this name in any case. */
export async function findAccount(db: Db, tenantId: string, of: string): Promise<AccountRow | undefined> {
  if (of.includes("\0")) return undefined;
  const named = isUuid(of) ? sql`a.id = ${of}::uuid` : sql`lower(a.name) = lower(${of}::text)`;
  const { rows } = await sql<AccountRow>`SELECT ${LISTED} ${accountsOf(tenantId, named)}`.execute(db);
  return rows[0];
}

/** Does {@link findAccount} and locks the account until the transaction ends. */
export async function lockAccount(tx: Tx, tenantId: string, of: string): Promise<AccountRow | undefined> {
  const found = await findAccount(tx, tenantId, of);
  if (!found) return undefined;
  await sql`SELECT FROM users WHERE id = ${found.id} FOR NO KEY UPDATE`.execute(tx);
  return await findAccount(tx, tenantId, found.id);
}

/** The fields that an admin sets. */
export type AccountFields = Pick<AccountRow, "name" | "role" | "status" | "ends_at" | "contact_id" | "address_ranges">;

/** @throws MusterError already_exists when another account that is not deleted has this name */
export async function insertAccount(
  tx: Tx,
  { id, tenantId, now, ...account }: AccountFields & { id: string; tenantId: string; now: Date },
): Promise<void> {
  await unlessNamed(
    account.name,
    sql`
    INSERT INTO users (id, tenant_id, kind, name, role, status, password_hash, created_at, contact_id, ends_at,
                       address_ranges)
    VALUES (${id}, ${tenantId}, 'service', ${account.name}, ${account.role}, ${account.status}, '', ${now},
            ${account.contact_id}, ${account.ends_at}, ${account.address_ranges})`,
    tx,
  );
}

/**
 * Fires `users_keys_owner`, `users_mqtt_clients`.
 *
 * @throws MusterError already_exists when another account that is not deleted has this name
 */
export async function updateAccount(tx: Tx, id: string, account: AccountFields): Promise<void> {
  await unlessNamed(
    account.name,
    sql`
    UPDATE users SET name = ${account.name}, role = ${account.role}, status = ${account.status},
           contact_id = ${account.contact_id}, ends_at = ${account.ends_at},
           address_ranges = ${account.address_ranges}
     WHERE id = ${id}`,
    tx,
  );
}

async function unlessNamed(name: string, write: RawBuilder<unknown>, tx: Tx): Promise<void> {
  try {
    await write.execute(tx);
  } catch (error) {
    if (violatedUnique(error)) throw alreadyExists("There is already a service account with this name.", name);
    throw error;
  }
}

/** Returns the active accounts whose end has come. */
export async function findEndedAccounts(db: Db, now: Date): Promise<{ id: string; tenantId: string }[]> {
  const { rows } = await sql<{ id: string; tenantId: string }>`
    SELECT id, tenant_id AS "tenantId" FROM users
     WHERE kind = 'service' AND status = 'active' AND ends_at <= ${now} ORDER BY ends_at LIMIT 1000`.execute(db);
  return rows;
}

/** The active accounts of a tenant that need a person. */
export interface AccountProblems {
  /** Accounts whose contact is deactivated or deleted. */
  withoutContact: number;
  /** Accounts that end within 30 days. */
  ending: number;
}

export async function countAccountProblems(db: Db, tenantId: string, soon: Date): Promise<AccountProblems> {
  const { rows } = await sql<AccountProblems>`
    SELECT count(*) FILTER (WHERE c.status <> 'active' OR c.deleted_at IS NOT NULL)::int AS "withoutContact",
           count(*) FILTER (WHERE a.ends_at <= ${soon})::int AS ending
      ${accountsOf(tenantId, sql`a.status = 'active'`)}`.execute(db);
  return rows[0]!;
}
