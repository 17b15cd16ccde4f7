import type { Tx } from "../../db/database.ts";
import { parseEmailAddress } from "../../lib/mail/email-address.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import type { Role } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { hasUsers, insertUser } from "../user-store.ts";

/** Returns the address as it is stored, without surrounding space. @throws MusterError invalid_request */
export function checkEmail(text: string): string {
  const typed = text.trim();
  const email = parseEmailAddress(typed);
  if (email === undefined) throw invalidRequest("This is not an e-mail address.", typed);
  return email;
}

/**
 * Adds a user in the transaction of the act. The first user of the installation, if an admin, runs it.
 *
 * @returns the user's id
 * @throws MusterError already_exists, quota_exceeded
 */
export async function addUser(
  { ids, clock, quotas }: Pick<AccessDeps, "ids" | "clock" | "quotas">,
  tx: Tx,
  user: { tenantId: string; email: string; role: Role; passwordHash: string; drawn: boolean },
): Promise<string> {
  await quotas.within(tx, user.tenantId, "users", 1);
  const now = clock.now();
  const id = ids.uuid(now);
  await insertUser(tx, {
    id,
    tenant_id: user.tenantId,
    email: user.email,
    role: user.role,
    platform: user.role === "admin" && !(await hasUsers(tx)),
    password_hash: user.passwordHash,
    password_drawn: user.drawn,
    created_at: now,
    deleted_at: null,
  });
  return id;
}
