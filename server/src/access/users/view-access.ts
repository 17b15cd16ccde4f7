import type { Role } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { useCase } from "../use-case.ts";
import { listUserRows } from "../user-store.ts";

export interface UserRecord {
  id: string;
  email: string;
  role: Role;
  status: "active" | "deactivated";
  createdAt: Date;
}

/** Lists the tenant's users who are not deleted, newest first. */
export const listUsers = useCase({ role: "admin" }, async (deps: AccessDeps, caller): Promise<UserRecord[]> => {
  const rows = await listUserRows(deps.database.db, caller.tenantId);
  return rows.map(({ created_at, ...row }) => ({ ...row, createdAt: created_at }));
});
