import { recordAct } from "../../audit/audit.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { IdentityDeps } from "../deps.ts";
import { listOperators } from "../user-account-store.ts";
import { makeLink } from "./links.ts";

/** A link with which a user who runs the installation chooses a new password. */
export interface OperatorLink {
  email: string;
  url: string;
  expiresAt: Date;
}

/**
 * Makes a link for each active user who runs the installation. For the shell, which shows the links; none is mailed.
 */
export async function makeOperatorLinks(deps: IdentityDeps): Promise<OperatorLink[]> {
  return await inTransaction(deps.database.db, async (tx) => {
    const links: OperatorLink[] = [];
    for (const { id, tenantId, email } of await listOperators(tx)) {
      const { url, expiresAt } = await makeLink(deps, tx, { purpose: "reset", userId: id, createdBy: "system" });
      const act = { act: "user.reset-link", target: id, after: { email, expiresAt } };
      await recordAct(tx, { tenantId, actor: "system" }, act, { ids: deps.ids, now: deps.clock.now() });
      links.push({ email, url, expiresAt });
    }
    return links;
  });
}
