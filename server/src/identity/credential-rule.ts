import { hasPassword } from "../access/access.ts";
import type { Tx } from "../db/database.ts";
import { type CredentialRule, lockRule } from "./credential-rule-store.ts";
import { ssoRequired } from "./errors.ts";

/**
 * Refuses credentials of Muster where the tenant requires its provider. Break-glass admins keep theirs as long as they
 * have a second factor. The rule stays locked until the transaction ends, so no session slips past a change of it.
 *
 * @throws MusterError sso_required
 */
export async function requireCredentialsAllowed(tx: Tx, userId: string): Promise<void> {
  const found = await lockRule(tx, userId);
  if (!found || found.rule === "password") return;
  if (!(isNamedAdmin(found) && found.hasFactor)) throw ssoRequired();
}

/** Returns whether the tenant's rule exempts the user, an admin, who must then have a second factor. */
export function isNamedAdmin({ rule, isNamed, isAdmin }: CredentialRule): boolean {
  return rule === "break_glass" && isNamed && isAdmin;
}

/**
 * Refuses a passkey as the only credential of a user without a password: who comes in by the provider alone leaves with
 * the account there, and an ended password is set again only through a link.
 *
 * @throws MusterError sso_required
 */
export function requirePasskeySuffices(credentials: { passwordHash: string }): void {
  if (!hasPassword(credentials)) throw ssoRequired();
}
