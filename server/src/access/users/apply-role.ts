import type { Tx } from "../../db/database.ts";
import type { Role } from "../caller.ts";
import { countOtherAdmins, setRole, type UserRow } from "../user-store.ts";

/**
 * Gives an active user the role that an identity provider grants. A user who runs the installation and the last admin
 * keep theirs. Lock the tenant's admins first.
 *
 * @returns the role that the user has now
 */
export async function applyRole(
  tx: Tx,
  user: Pick<UserRow, "id" | "tenant_id" | "role" | "platform">,
  role: Role,
): Promise<Role> {
  const isKept =
    user.platform || (user.role === "admin" && (await countOtherAdmins(tx, user.tenant_id, user.id)) === 0);
  if (role === user.role || isKept) return user.role;
  await setRole(tx, user.id, role);
  return role;
}
