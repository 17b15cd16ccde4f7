import {
  addAccount,
  adminUseCase,
  changeAccount,
  findAccount,
  lockAccount,
  type NewServiceAccount,
  type PreparedChange,
  type ServiceAccount,
  type ServiceAccountChange,
  toAccount,
} from "../access/access.ts";
import type { Tx } from "../db/database.ts";
import { notFound, preconditionFailed } from "../lib/request-errors.ts";
import type { GroupsDeps } from "./deps.ts";
import { joinAsMember, leaveAsMember, requireGroups } from "./join-groups.ts";
import type { Precondition } from "./update-group.ts";

/** The groups whose devices an account sees unless it is an admin. Pages never reach it. */
interface AccountGroups {
  groupIds?: readonly string[] | undefined;
}

/**
 * Creates a service account in its groups.
 *
 * @throws MusterError invalid_request (name, contact in `detail`, days, range or unknown group in `detail`),
 * already_exists (name), quota_exceeded
 */
export const createServiceAccount = adminUseCase(
  { role: "admin" },
  "service-account.create",
  async (
    deps: GroupsDeps,
    caller,
    { groupIds = [], ...input }: NewServiceAccount & AccountGroups,
  ): Promise<PreparedChange<ServiceAccount>> => ({
    change: async (tx) => {
      const { id, after } = await addAccount(tx, deps, caller, input);
      await setGroups(tx, deps, { tenantId: caller.tenantId, id, present: [] }, groupIds);
      const result = await recordOf(tx, caller.tenantId, id);
      return { target: id, after: { ...after, groups: result.groupIds }, result };
    },
  }),
);

/**
 * Changes a service account, named by its id or name, and its groups. A deactivation revokes its keys permanently.
 *
 * @throws MusterError not_found, precondition_failed, and those of {@link createServiceAccount} but quota_exceeded
 */
export const updateServiceAccount = adminUseCase(
  { role: "admin" },
  "service-account.update",
  async (
    deps: GroupsDeps,
    caller,
    of: string,
    { groupIds, ...fields }: ServiceAccountChange & AccountGroups,
    { matches }: Precondition = {},
  ): Promise<PreparedChange<ServiceAccount>> => ({
    change: async (tx) => {
      const { tenantId } = caller;
      const row = await lockAccount(tx, tenantId, of);
      if (!row) throw notFound("service account");
      if (matches && !matches(toAccount(row))) throw preconditionFailed();
      const { id, revokedKeys, ...changed } = await changeAccount(tx, deps, caller, row, fields);
      if (groupIds) await setGroups(tx, deps, { tenantId, id, present: row.group_ids }, groupIds);
      const result = await recordOf(tx, tenantId, id);
      const before = { ...changed.before, groups: row.group_ids };
      const after = { ...changed.after, groups: result.groupIds };
      const unchanged = JSON.stringify(before) === JSON.stringify(after);
      return { target: id, before, after: { ...after, revokedKeys }, result, unchanged };
    },
  }),
);

async function setGroups(
  tx: Tx,
  { clock }: Pick<GroupsDeps, "clock">,
  { tenantId, id, present }: { tenantId: string; id: string; present: readonly string[] },
  groupIds: readonly string[],
): Promise<void> {
  const wanted = await requireGroups(tx, tenantId, groupIds);
  const [others, added] = [
    present.filter((each) => !wanted.includes(each)),
    wanted.filter((each) => !present.includes(each)),
  ];
  const now = clock.now();
  await leaveAsMember(tx, tenantId, id, others, now);
  await joinAsMember(tx, tenantId, id, added, now);
}

async function recordOf(tx: Tx, tenantId: string, id: string): Promise<ServiceAccount> {
  return toAccount((await findAccount(tx, tenantId, id))!);
}
