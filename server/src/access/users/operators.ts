import type { Tx } from "../../db/database.ts";
import type { Caller } from "../caller.ts";
import { lastOperator } from "../errors.ts";
import { requireMay } from "../use-case.ts";
import { lockOperators, type UserRow } from "../user-store.ts";

type Administered = Pick<UserRow, "id" | "platform">;

/**
 * Refuses a caller who may not change this user's role, status, password or second factor, or delete the user. Changing
 * a user who runs the installation could remove that right or exploit it, so only others who run it, and the shell,
 * may do so.
 *
 * @throws MusterError insufficient_role
 */
export function requireMayAdminister(caller: Caller, { platform }: Pick<Administered, "platform">): void {
  if (platform) requireMay(caller, { role: "platform" }, "changing a user who runs the installation");
}

/** Decides whether a change may end the right to run the installation. */
export interface OperatorGuard {
  /**
   * @throws MusterError last_operator when no other active user runs the installation; the shell is exempt: it can name
   * another one
   */
  requireAnother(user: Administered): void;
}

/**
 * Locks the users who run the installation. If two concurrent changes would each leave only the other's user, one is
 * refused.
 */
export async function guardOperators(tx: Tx, { rights }: Caller): Promise<OperatorGuard> {
  const operators = await lockOperators(tx);
  return {
    requireAnother({ id, platform }) {
      if (platform && rights.kind !== "system" && !operators.some((each) => each !== id)) throw lastOperator();
    },
  };
}
