import type { Caller } from "../access/access.ts";
import { auditRevocations } from "../audit/audit.ts";
import type { Tx } from "../db/database.ts";
import type { Ids } from "../lib/ids.ts";
import { type CertificateEndings, carryBlockedKeys } from "./endings/carry-endings-store.ts";
import {
  markAllRevoked,
  markLiveRevoked,
  markRevoked,
  markRevokedByFingerprint,
  markRevokedOfDeletedDevice,
  markRevokedOfDevices,
  markRevokedWithKey,
  type RevokedRow,
} from "./revocation-store.ts";

/** The number of audit entries per statement; a restore may revoke a hundred thousand certificates at once. */
const ENTRIES_PER_STATEMENT = 500;

/** The time of a revocation, and the source of ids for its audit entries. */
export interface Revocation {
  ids: Pick<Ids, "uuid">;
  now: Date;
}

/**
 * Marks a certificate revoked and records that in the audit, in the caller's transaction, which has locked the device's
 * row.
 *
 * @returns false when it was already revoked; it keeps its first reason
 */
export async function revokeIssued(
  tx: Tx,
  { tenantId, actor }: Pick<Caller, "tenantId" | "actor">,
  id: string,
  { ids, now }: Revocation,
): Promise<boolean> {
  const revoked = await markRevoked(tx, tenantId, id, actor, now);
  await recordRevocations(tx, revoked, actor, { ids, now });
  return revoked.length > 0;
}

/**
 * Revokes and records every certificate of a device that is being deleted.
 *
 * @returns the ids of those that were not revoked before
 */
export async function revokeIssuedToDevice(
  tx: Tx,
  { tenantId, actor }: Pick<Caller, "tenantId" | "actor">,
  deviceUid: string,
  { ids, now }: Revocation,
): Promise<string[]> {
  const revoked = await markRevokedOfDeletedDevice(tx, tenantId, deviceUid, actor, now);
  await recordRevocations(tx, revoked, actor, { ids, now });
  return revoked.map(({ id }) => id);
}

/** Revokes and records every live certificate of a device. @returns their ids */
export async function revokeLiveOfDevice(
  tx: Tx,
  { tenantId, actor }: Pick<Caller, "tenantId" | "actor">,
  deviceUid: string,
  { ids, now }: Revocation,
): Promise<string[]> {
  const revoked = await markLiveRevoked(tx, tenantId, deviceUid, actor, now);
  await recordRevocations(tx, revoked, actor, { ids, now });
  return revoked.map(({ id }) => id);
}

/**
 * Revokes and records every certificate, of any tenant, with this key. @returns those that were not revoked before
 */
export async function revokeIssuedWithKey(
  tx: Tx,
  spkiSha256: Buffer,
  actor: string,
  revocation: Revocation,
): Promise<RevokedRow[]> {
  const revoked = await markRevokedWithKey(tx, spkiSha256, actor, revocation.now);
  await recordOfTenants(tx, revoked, actor, revocation);
  return revoked;
}

/** Revokes and records every certificate of every tenant. @returns how many were not revoked before */
export async function revokeAllIssued(tx: Tx, actor: string, revocation: Revocation): Promise<number> {
  const revoked = await markAllRevoked(tx, actor, revocation.now);
  await recordOfTenants(tx, revoked, actor, revocation);
  return revoked.length;
}

/**
 * Revokes and records every certificate of these devices, whose rows the caller has locked.
 *
 * @returns those that were not revoked before
 */
export async function revokeIssuedToDevices(
  tx: Tx,
  deviceUids: readonly string[],
  actor: string,
  revocation: Revocation,
): Promise<RevokedRow[]> {
  const revoked = await markRevokedOfDevices(tx, deviceUids, actor, revocation.now);
  await recordOfTenants(tx, revoked, actor, revocation);
  return revoked;
}

/**
 * Revokes and records, in a restored database, the certificates that a later state revokes, and blocks its blocked
 * keys.
 *
 * @returns how many were not revoked before
 */
export async function carryCertificateEndings(
  tx: Tx,
  { revoked: fingerprints, blockedKeys }: CertificateEndings,
  actor: string,
  revocation: Revocation,
): Promise<number> {
  const revoked = await markRevokedByFingerprint(tx, fingerprints, actor, revocation.now);
  await recordOfTenants(tx, revoked, actor, revocation);
  await carryBlockedKeys(tx, blockedKeys);
  return revoked.length;
}

async function recordOfTenants(tx: Tx, revoked: RevokedRow[], actor: string, revocation: Revocation): Promise<void> {
  for (const rows of Map.groupBy(revoked, (row) => row.tenant_id).values()) {
    for (let from = 0; from < rows.length; from += ENTRIES_PER_STATEMENT) {
      await recordRevocations(tx, rows.slice(from, from + ENTRIES_PER_STATEMENT), actor, revocation);
    }
  }
}

/** @param revoked certificates of one tenant */
async function recordRevocations(
  tx: Tx,
  revoked: readonly RevokedRow[],
  actor: string,
  { ids, now }: Revocation,
): Promise<void> {
  const tenantId = revoked[0]?.tenant_id;
  if (tenantId === undefined) return;
  const entries = revoked.map((row) => ({
    id: ids.uuid(now),
    at: now,
    actor,
    deviceId: row.device_id,
    certificateId: row.id,
    serialNumber: row.serial_number,
    fingerprintSha256: row.fingerprint_sha256,
  }));
  await auditRevocations(tx, tenantId, entries);
}
