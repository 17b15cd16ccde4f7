import type { Tx } from "../db/database.ts";
import { findRule } from "./credential-rule-store.ts";
import { ssoRequired } from "./errors.ts";

/**
 * Refuses credentials of Muster where the tenant requires its provider. Break-glass admins keep theirs as long as they
 * have a second factor. The rule stays locked until the transaction ends, so no session slips past a change of it.
 *
 * @throws MusterError sso_required
 */
export async function requireCredentialsAllowed(tx: Tx, userId: string): Promise<void> {
  const found = await findRule(tx, userId);
  if (!found || found.rule === "password") return;
  const { rule, isNamed, isAdmin, hasFactor } = found;
  if (!(rule === "break_glass" && isNamed && isAdmin && hasFactor)) throw ssoRequired();
}
