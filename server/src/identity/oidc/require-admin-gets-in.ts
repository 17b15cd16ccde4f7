import type { Tx } from "../../db/database.ts";
import { adminsWithFactor, hasLinkedAdmin } from "./identity-store.ts";
import { lockoutRefused } from "./oidc-errors.ts";
import type { ProviderRow } from "./provider-store.ts";

/**
 * Refuses a rule under which no admin could sign in: an admin must have signed in at the provider before it is
 * required, and emergency admins (`break_glass`) need a second factor.
 *
 * @throws MusterError last_admin
 */
export async function requireAdminGetsIn(tx: Tx, row: ProviderRow): Promise<void> {
  if (!row.enabled || row.rule === "password") return;
  const withFactor = await adminsWithFactor(tx, row.tenant_id, row.break_glass);
  if (row.rule === "break_glass") {
    if (withFactor.length === 0 || withFactor.length < row.break_glass.length) throw lockoutRefused(row.rule);
    return;
  }
  if (!(await hasLinkedAdmin(tx, row.tenant_id, row.issuer))) throw lockoutRefused(row.rule);
}
