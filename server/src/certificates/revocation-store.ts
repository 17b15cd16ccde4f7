import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";

/** The identity of a revoked certificate in the audit. */
export interface RevokedRow {
  id: string;
  tenant_id: string;
  device_uid: string;
  device_id: string;
  serial_number: string;
  fingerprint_sha256: string;
}

export interface CertificateOfDevice {
  deviceUid: string;
  serialNumber: string;
  fingerprintSha256: string;
}

/** Finds a certificate in any state, even of a deleted device; `undefined` when the tenant has none with this id. */
export async function findCertificateOfDevice(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<CertificateOfDevice | undefined> {
  return await tx
    .selectFrom("certificates")
    .select(["device_uid as deviceUid", "serial_number as serialNumber", "fingerprint_sha256 as fingerprintSha256"])
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** A certificate that replaced another one through renewals. */
export interface SuccessorCertificate {
  id: string;
  serialNumber: string;
  expiresAt: Date;
  isRevoked: boolean;
}

/** Lists the certificates that replaced this one through renewals, in order. */
export async function listSuccessors(tx: Db, tenantId: string, id: string): Promise<SuccessorCertificate[]> {
  const { rows } = await sql<SuccessorCertificate>`
    WITH RECURSIVE chain AS (
      SELECT c.superseded_by_id AS next, 0 AS place FROM certificates c WHERE c.tenant_id = ${tenantId} AND c.id = ${id}
      UNION ALL
      SELECT c.superseded_by_id, chain.place + 1 FROM chain JOIN certificates c ON c.id = chain.next
    )
    SELECT c.id, c.serial_number AS "serialNumber", c.not_after AS "expiresAt", c.revoked_at IS NOT NULL AS "isRevoked"
      FROM chain JOIN certificates c ON c.id = chain.next ORDER BY chain.place`.execute(tx);
  return rows;
}

export async function markRevoked(tx: Tx, tenantId: string, id: string, by: string, now: Date): Promise<RevokedRow[]> {
  return await markRevokedBecause(tx, "requested", sql`c.tenant_id = ${tenantId} AND c.id = ${id}`, by, now);
}

/** Marks all certificates of the device, including expired ones. */
export async function markRevokedOfDeletedDevice(
  tx: Tx,
  tenantId: string,
  deviceUid: string,
  by: string,
  now: Date,
): Promise<RevokedRow[]> {
  const ofDevice = sql`c.tenant_id = ${tenantId} AND c.device_uid = ${deviceUid}`;
  return await markRevokedBecause(tx, "device_deleted", ofDevice, by, now);
}

/** Marks the device's certificates that have not expired. */
export async function markLiveRevoked(
  tx: Tx,
  tenantId: string,
  deviceUid: string,
  by: string,
  now: Date,
): Promise<RevokedRow[]> {
  const live = sql`c.tenant_id = ${tenantId} AND c.device_uid = ${deviceUid} AND c.not_after > ${now}`;
  return await markRevokedBecause(tx, "requested", live, by, now);
}

/** Marks the certificates of every tenant that have this key. */
export async function markRevokedWithKey(tx: Tx, spkiSha256: Buffer, by: string, now: Date): Promise<RevokedRow[]> {
  return await markRevokedBecause(tx, "requested", sql`c.spki_sha256 = ${spkiSha256}`, by, now);
}

/** Marks the certificates of these devices, of every tenant. */
export async function markRevokedOfDevices(
  tx: Tx,
  deviceUids: readonly string[],
  by: string,
  now: Date,
): Promise<RevokedRow[]> {
  const ofDevices = sql`c.device_uid = ANY (${[...deviceUids]}::uuid[])`;
  return await markRevokedBecause(tx, "requested", ofDevices, by, now);
}

/** Marks the certificates of every tenant that have one of these fingerprints. */
export async function markRevokedByFingerprint(
  tx: Tx,
  fingerprints: readonly string[],
  by: string,
  now: Date,
): Promise<RevokedRow[]> {
  const which = sql`c.fingerprint_sha256 = ANY (${[...fingerprints]}::text[])`;
  return await markRevokedBecause(tx, "requested", which, by, now);
}

/** Marks the certificates of every tenant. */
export async function markAllRevoked(tx: Tx, by: string, now: Date): Promise<RevokedRow[]> {
  return await markRevokedBecause(tx, "requested", sql`true`, by, now);
}

/**
 * Marks certificates revoked. One that is already revoked keeps its reason and is not returned. FOR UPDATE precedes the
 * update: sessions being opened with the certificates are recorded when this returns, and none is opened until the
 * commit (`lockForSessions`).
 *
 * The update fires five triggers. `certificates_stay_revoked` refuses to undo it later, `certificates_moved` counts the
 * list, `certificates_of_device_revoked` derives the certificate state of the device, `certificates_release_client_id`
 * releases the client id after the last active certificate, and at the commit `certificates_end_retained` deletes
 * retained messages of topics to which the device has lost its right.
 */
async function markRevokedBecause(
  tx: Tx,
  reason: "requested" | "device_deleted",
  which: RawBuilder<unknown>,
  by: string,
  now: Date,
): Promise<RevokedRow[]> {
  const { rows } = await sql<RevokedRow>`
    WITH locked AS (
      SELECT c.id FROM certificates c WHERE c.revoked_at IS NULL AND ${which} ORDER BY c.id FOR UPDATE
    )
    UPDATE certificates c SET revoked_at = ${now}, revoked_by = ${by}, revocation_reason = ${reason}
      FROM locked WHERE c.id = locked.id
    RETURNING c.id, c.tenant_id, c.device_uid, c.device_id, c.serial_number, c.fingerprint_sha256`.execute(tx);
  return rows;
}
