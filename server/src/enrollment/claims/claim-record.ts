import type { ClaimRow, ClaimStatus } from "./claim-store.ts";

/** A claim without its code (docs/spec-decisions.md, Claims). */
export interface ClaimRecord {
  id: string;
  intendedName: string;
  intendedGroupIds: string[];
  intendedDeviceTypeId: string | null;
  status: ClaimStatus;
  expired: boolean;
  maxUses: number;
  usedCount: number;
  codeHint: string;
  expiresAt: Date;
  createdAt: Date;
  createdBy: string;
  revokedAt: Date | null;
  revokedBy: string | null;
  lastRedeemedAt: Date | null;
  deviceIds: string[];
  /** The only device that may redeem it, which enrolls again without proof of its identity; `null` for new devices. */
  reenrollsDeviceId: string | null;
}

export function toClaimRecord(row: ClaimRow, now: Date): ClaimRecord {
  return {
    id: row.id,
    intendedName: row.intended_name,
    intendedGroupIds: row.intended_group_ids ?? [],
    intendedDeviceTypeId: row.intended_device_type_id,
    status: row.status,
    expired: row.expires_at <= now,
    maxUses: row.max_uses,
    usedCount: row.used_count,
    codeHint: row.code_hint,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    createdBy: row.created_by,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by,
    lastRedeemedAt: row.last_redeemed_at,
    deviceIds: row.device_ids,
    reenrollsDeviceId: row.reenrolls_device_id,
  };
}
