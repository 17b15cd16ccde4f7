import { adminUseCase, lockUserById, type PreparedChange, requireMayAdminister } from "../../access/access.ts";
import { isUuid } from "../../lib/ids.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { IdentityDeps } from "../deps.ts";
import { deleteSessionsOf } from "../session-store.ts";
import { deleteFactorsOf } from "./factor-store.ts";

/**
 * Removes the second factor and the recovery codes of a user who lost the factor, and ends the user's sessions. The
 * password alone then suffices; if the tenant's rule requires a factor, the user sets one up at the next sign-in. API
 * keys stay.
 *
 * @returns whether the user had a second factor
 * @throws MusterError not_found, insufficient_role
 */
export const resetFactor = adminUseCase(
  { role: "admin" },
  "user.reset-factor",
  async (_deps: IdentityDeps, caller, id: string): Promise<PreparedChange<{ removed: boolean }>> => ({
    change: async (tx) => {
      const user = isUuid(id) ? await lockUserById(tx, caller.tenantId, id) : undefined;
      if (!user) throw notFound("user");
      requireMayAdminister(caller, user);
      const removed = await deleteFactorsOf(tx, id);
      await deleteSessionsOf(tx, id);
      const before = { email: user.email, secondFactor: removed };
      return { target: id, before, after: { ...before, secondFactor: false }, result: { removed } };
    },
  }),
);
