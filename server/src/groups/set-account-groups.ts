import {
  adminUseCase,
  findAccount,
  lockAccount,
  type PreparedChange,
  type ServiceAccount,
  toAccount,
} from "../access/access.ts";
import { notFound, preconditionFailed } from "../lib/request-errors.ts";
import type { GroupsDeps } from "./deps.ts";
import { joinAsMember, leaveAsMember, requireGroups } from "./join-groups.ts";
import type { Precondition } from "./update-group.ts";

/**
 * Sets the groups whose devices a service account sees. Pages never reach it.
 *
 * @throws MusterError not_found; invalid_request, with an unknown group in `detail`; precondition_failed
 */
export const setServiceAccountGroups = adminUseCase(
  { role: "admin" },
  "service-account.set-groups",
  async (
    { clock }: GroupsDeps,
    { tenantId },
    of: string,
    groupIds: readonly string[],
    { matches }: Precondition = {},
  ): Promise<PreparedChange<ServiceAccount>> => ({
    change: async (tx) => {
      const account = await lockAccount(tx, tenantId, of);
      if (!account) throw notFound("service account");
      if (matches && !matches(toAccount(account))) throw preconditionFailed();
      const { id, group_ids: present } = account;
      const wanted = await requireGroups(tx, tenantId, groupIds);
      const [others, added] = [
        present.filter((each) => !wanted.includes(each)),
        wanted.filter((each) => !present.includes(each)),
      ];
      const now = clock.now();
      const left = await leaveAsMember(tx, tenantId, id, others, now);
      const joined = await joinAsMember(tx, tenantId, id, added, now);
      const result = toAccount((await findAccount(tx, tenantId, id))!);
      const [before, after] = [{ groups: present }, { groups: result.groupIds }];
      return { target: id, before, after, result, unchanged: left.length + joined.length === 0 };
    },
  }),
);
