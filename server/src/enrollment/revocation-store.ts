import type { Tx } from "../db/database.ts";

/** What the audit notes of a certificate that was revoked. */
export interface RevokedCertificate {
  id: string;
  device_id: string;
  serial_number: string;
  fingerprint_sha256: string;
}

/** A certificate and its device, whatever became of either; `undefined` when the tenant has no such certificate. */
export async function findRevocable(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<(RevokedCertificate & { device_uid: string }) | undefined> {
  return tx
    .selectFrom("certificates")
    .select(["id", "device_uid", "device_id", "serial_number", "fingerprint_sha256"])
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Locks the device's row: see the same in bundle-store. */
export async function lockDeviceUid(tx: Tx, tenantId: string, uid: string): Promise<void> {
  await tx
    .selectFrom("devices")
    .select("uid")
    .where("tenant_id", "=", tenantId)
    .where("uid", "=", uid)
    .forNoKeyUpdate()
    .execute();
}

/** Revokes on request; no row when it was revoked before, for whatever reason: that reason stays. */
export async function revokeRequested(
  tx: Tx,
  tenantId: string,
  id: string,
  by: string,
  now: Date,
): Promise<RevokedCertificate[]> {
  return tx
    .updateTable("certificates")
    .set({ revoked_at: now, revoked_by: by, revocation_reason: "requested" })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where("revoked_at", "is", null)
    .returning(["id", "device_id", "serial_number", "fingerprint_sha256"])
    .execute();
}

/** Revokes all certificates of a device, expired ones too. */
export async function revokeAllOfDevice(
  tx: Tx,
  tenantId: string,
  deviceUid: string,
  by: string,
  now: Date,
): Promise<RevokedCertificate[]> {
  return tx
    .updateTable("certificates")
    .set({ revoked_at: now, revoked_by: by, revocation_reason: "device_deleted" })
    .where("tenant_id", "=", tenantId)
    .where("device_uid", "=", deviceUid)
    .where("revoked_at", "is", null)
    .returning(["id", "device_id", "serial_number", "fingerprint_sha256"])
    .execute();
}

/** Takes the device out of use: its id and fingerprint are free again, its row stays for the audit's sake. */
export async function retireDevice(tx: Tx, tenantId: string, id: string, now: Date): Promise<string | undefined> {
  const row = await tx
    .updateTable("devices")
    .set({ deleted_at: now, updated_at: now })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .returning("uid")
    .executeTakeFirst();
  if (row !== undefined) await tx.deleteFrom("device_groups").where("device_uid", "=", row.uid).execute();
  return row?.uid;
}
