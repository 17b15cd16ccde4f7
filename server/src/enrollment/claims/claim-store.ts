import { type RawBuilder, type SqlBool, sql } from "kysely";
import { spendAllowance } from "../../access/access.ts";
import type { Db, Tx } from "../../db/database.ts";
import { violatesForeignKey } from "../../db/refusal.ts";
import type { ClaimsTable } from "../../db/schema.generated.ts";
import type { PageRequest } from "../../lib/page.ts";
import { type Counted, countedPage } from "../../lists/counted-page.ts";
import { unknownDeviceType } from "../errors.ts";

export type ClaimStatus = "pending" | "used" | "revoked";

/** A stored claim, without its code, with the devices it enrolled. */
export interface ClaimRow
  extends Omit<ClaimsTable, "code_hmac" | "status" | "used_count" | "tenant_id" | "device_uid"> {
  status: ClaimStatus;
  used_count: number;
  device_ids: string[];
  /** The id of the device that it re-enrolls; `null` for a claim of new devices. */
  reenrolls_device_id: string | null;
}

export type NewClaimRow = Pick<
  ClaimsTable,
  | "id"
  | "code_hmac"
  | "code_hint"
  | "intended_name"
  | "intended_group_ids"
  | "intended_device_type_id"
  | "device_uid"
  | "max_uses"
  | "expires_at"
  | "created_at"
  | "created_by"
>;

/** @param round the round for {@link spendAllowance} */
export async function insertClaim(tx: Tx, tenantId: string, row: NewClaimRow, round: string | null): Promise<void> {
  try {
    await tx
      .insertInto("claims")
      .values({ tenant_id: tenantId, ...row })
      .returning(spendAllowance(sql`${tenantId}`, "openClaims", sql`${round}`).as("spent"))
      .execute();
  } catch (error) {
    if (violatesForeignKey(error)) throw unknownDeviceType(row.intended_device_type_id ?? "");
    throw error;
  }
}

/** Returns those `ids` (UUIDs) that are groups of the tenant. */
export async function findGroupIds(db: Db, tenantId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM shared_groups WHERE tenant_id = ${tenantId} AND id = ANY (${ids}::uuid[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

export async function findClaim(db: Db, tenantId: string, id: string): Promise<ClaimRow | undefined> {
  const { rows } = await sql<ClaimRow>`
    SELECT ${COLUMNS} FROM claims c WHERE c.tenant_id = ${tenantId} AND c.id = ${id}`.execute(db);
  return rows[0];
}

/** Returns the live device of this id; `fingerprint_key` is `null` if it never enrolled with a claim. */
export async function findEnrolled(
  db: Db,
  tenantId: string,
  deviceId: string,
): Promise<{ uid: string; name: string; fingerprint_key: string | null } | undefined> {
  const { rows } = await sql<{ uid: string; name: string; fingerprint_key: string | null }>`
    SELECT uid, name, fingerprint_key FROM shared_devices
     WHERE tenant_id = ${tenantId} AND id = ${deviceId} AND deleted_at IS NULL`.execute(db);
  return rows[0];
}

/** Returns the intended names of those `ids` (UUIDs) that are claims of the tenant. */
export async function findClaimNames(
  db: Db,
  tenantId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string; deleted: boolean }[]> {
  const { rows } = await sql<{ id: string; name: string; deleted: boolean }>`
    SELECT id, intended_name AS name, false AS deleted FROM claims
     WHERE tenant_id = ${tenantId} AND id = ANY (${[...ids]}::uuid[])`.execute(db);
  return rows;
}

/** Returns one page, newest first, and the total. */
export async function listClaimRows(
  db: Db,
  tenantId: string,
  status: ClaimStatus | undefined,
  page: PageRequest,
): Promise<Counted<ClaimRow>> {
  return await countedPage(db, tenantId, { list: "claims", variant: status, as: "c", columns: COLUMNS }, page);
}

/** Changes `pending` to `revoked`; any other status stays. Returns `undefined` when the tenant has no such claim. */
export async function revokeClaimRow(
  db: Db,
  tenantId: string,
  id: string,
  by: string,
  now: Date,
): Promise<"revoked" | "unchanged" | undefined> {
  const changed = await db
    .updateTable("claims")
    .set({ status: "revoked", revoked_at: now, revoked_by: by })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where("status", "=", "pending")
    .executeTakeFirst();
  if (changed.numUpdatedRows > 0n) return "revoked";
  const query = db.selectFrom("claims").select("id").where("tenant_id", "=", tenantId).where("id", "=", id);
  return (await query.executeTakeFirst()) && "unchanged";
}

/** Revokes every pending claim of every tenant. @returns how many */
export async function revokeAllClaims(tx: Tx, by: string, now: Date): Promise<number> {
  return await revokePending(tx, sql<SqlBool>`true`, by, now);
}

/** Revokes the pending claims that re-enroll the device. @returns how many */
export async function revokeClaimsOfDevice(
  tx: Tx,
  tenantId: string,
  deviceId: string,
  by: string,
  now: Date,
): Promise<number> {
  const device = sql`(SELECT uid FROM shared_devices
    WHERE tenant_id = ${tenantId} AND id = ${deviceId} AND deleted_at IS NULL)`;
  return await revokePending(tx, sql<SqlBool>`device_uid = ${device}`, by, now);
}

/** Returns the claims of a database that enroll no further device. */
export async function readEndedClaims(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("claims").select("id").where("status", "<>", "pending").execute();
  return rows.map(({ id }) => id);
}

/** Revokes those `ids` that are pending in a restored database. @returns how many */
export async function carryEndedClaims(tx: Tx, ids: readonly string[], by: string, now: Date): Promise<number> {
  return await revokePending(tx, sql<SqlBool>`id = ANY (${[...ids]}::uuid[])`, by, now);
}

async function revokePending(tx: Tx, which: RawBuilder<SqlBool>, by: string, now: Date): Promise<number> {
  const revoked = await tx
    .updateTable("claims")
    .set({ status: "revoked", revoked_at: now, revoked_by: by })
    .where("status", "=", "pending")
    .where(which)
    .returning("id")
    .execute();
  return revoked.length;
}

const COLUMNS = sql`c.id, c.code_hint, c.intended_name, c.intended_group_ids, c.intended_device_type_id, c.status,
  c.max_uses, c.used_count, c.expires_at, c.created_at, c.created_by, c.revoked_at, c.revoked_by, c.last_redeemed_at,
  (SELECT d.id FROM shared_devices d WHERE d.uid = c.device_uid) AS reenrolls_device_id,
  ARRAY(SELECT e.device_id FROM shared_certificates e WHERE e.claim_id = c.id GROUP BY e.device_id
    ORDER BY min(e.issued_at), e.device_id) AS device_ids`;
