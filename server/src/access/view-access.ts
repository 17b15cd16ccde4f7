import type { Role } from "./caller.ts";
import type { AccessDeps } from "./deps.ts";
import { type KeyRow, listKeyRows } from "./keys/key-store.ts";
import { useCase } from "./use-case.ts";
import { listUserRows } from "./user-store.ts";

export interface UserRecord {
  id: string;
  email: string;
  role: Role;
  status: "active" | "deactivated";
  createdAt: Date;
}

/** A key without its secret. */
export interface KeyRecord {
  id: string;
  name: string;
  scopes: string[];
  /** Email address of the admin who owns it. */
  user: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  lastUsedAddress: string | null;
  revokedAt: Date | null;
  revokedBy: string | null;
  revocationReason: KeyRow["revocation_reason"];
}

/** The tenant's users who are not deleted, newest first. */
export const listUsers = useCase({ role: "admin" }, async (deps: AccessDeps, caller): Promise<UserRecord[]> => {
  const rows = await listUserRows(deps.database.db, caller.tenantId);
  return rows.map(({ created_at, ...row }) => ({ ...row, createdAt: created_at }));
});

/** Every API key the tenant ever had, ended ones too, newest first. */
export const listKeys = useCase({ role: "admin" }, async (deps: AccessDeps, caller): Promise<KeyRecord[]> => {
  return (await listKeyRows(deps.database.db, caller.tenantId)).map(toKeyRecord);
});

function toKeyRecord(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    user: row.email,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    lastUsedAddress: row.last_used_address,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by,
    revocationReason: row.revocation_reason,
  };
}
