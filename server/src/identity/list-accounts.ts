import {
  type AdministeredUser,
  adminUseCase,
  lockUser,
  type PreparedChange,
  requireMayAdminister,
  useCase,
} from "../access/access.ts";
import { isUuid } from "../lib/ids.ts";
import type { Page } from "../lib/page.ts";
import { notFound } from "../lib/request-errors.ts";
import type { IdentityDeps } from "./deps.ts";
import { accountOf, codesOf } from "./throttle/throttle.ts";
import { forgetFailures } from "./throttle/throttle-store.ts";
import { type AccountFilter, type AccountRow, findAccountRow, listAccountRows } from "./user-account-store.ts";

/** A user with the details that only the admin app knows. */
export interface Account extends AdministeredUser {
  /** The last use of the sessions that have not expired. */
  lastUsedAt: Date | null;
  secondFactor: boolean;
  /** The number of groups that the user is in: in none, only an admin sees devices. */
  groupCount: number;
}

/** Lists the tenant's users who are not deleted, newest first. */
export const listAccounts = useCase(
  { scope: "users:read", role: "admin" },
  async ({ database }: IdentityDeps, caller, filter: AccountFilter): Promise<Page<Account>> => {
    const page = await listAccountRows(database.db, caller.tenantId, filter);
    return { ...page, items: page.items.map(toAccount) };
  },
);

/** @throws MusterError not_found */
export const getAccount = useCase(
  { scope: "users:read", role: "admin" },
  async ({ database }: IdentityDeps, caller, id: string): Promise<Account> => {
    const row = isUuid(id) ? await findAccountRow(database.db, caller.tenantId, id) : undefined;
    if (!row) throw notFound("user");
    return toAccount(row);
  },
);

/**
 * Forgets a user's failed sign-ins and wrong codes, so that the next attempt is admitted.
 *
 * @throws MusterError not_found, insufficient_role
 */
export const unlockUser = adminUseCase(
  { role: "admin" },
  "user.unlock",
  async (_deps: IdentityDeps, caller, email: string): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      const user = await lockUser(tx, email);
      if (user?.tenant_id !== caller.tenantId) throw notFound("user");
      requireMayAdminister(caller, user);
      await forgetFailures(tx, accountOf(user.email));
      await forgetFailures(tx, codesOf(user.id));
      return { target: user.id, after: { email: user.email }, result: undefined };
    },
  }),
);

function toAccount({ created_at, last_used_at, second_factor, group_count, ...row }: AccountRow): Account {
  return {
    ...row,
    createdAt: created_at,
    lastUsedAt: last_used_at,
    secondFactor: second_factor,
    groupCount: group_count,
  };
}
