import { useCase } from "../access/access.ts";
import { recordWrite } from "../audit/audit.ts";
import { inTransaction } from "../db/transaction.ts";
import { isUuid } from "../lib/ids.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { checkExternalId, plainLine, plainText } from "../lib/text.ts";
import { type Channel, checkChannels } from "./channels.ts";
import type { GroupsDeps } from "./deps.ts";
import { type AlwaysPages, checkEscalation, type EscalationStep } from "./escalation.ts";
import { type GroupRecord, toGroupRecord } from "./group-record.ts";
import { addMembers, insertGroup, unconfirmedChannels } from "./group-store.ts";
import { requireIntegrations } from "./integration-reference-store.ts";
import { LIMITS } from "./limits.ts";

export interface NewGroup {
  name: string;
  description?: string | undefined;
  memberUserIds?: readonly string[] | undefined;
  channels?: readonly Channel[] | undefined;
  escalation?: readonly EscalationStep[] | undefined;
  pagesLostRenewals?: boolean | undefined;
  /** Defaults to `critical`. */
  tellsHandOvers?: boolean | undefined;
  alwaysPages?: AlwaysPages | undefined;
  /** Unique among the groups of the tenant. */
  externalId?: string | null | undefined;
}

/**
 * Creates a group.
 *
 * @throws MusterError invalid_request with an unknown user's id, or the invalid place, in `detail`; quota_exceeded;
 *   already_exists (the external id)
 */
export const createGroup = useCase(
  { scope: "groups:write", role: "admin" },
  async (deps: GroupsDeps, caller, input: NewGroup): Promise<GroupRecord> => {
    const now = deps.clock.now();
    const row = {
      id: deps.ids.uuid(now),
      name: plainLine("name", input.name),
      description: plainText("description", input.description ?? ""),
      channels: checkChannels(input.channels ?? []),
      escalation: checkEscalation(input.escalation ?? []),
      pages_lost_renewals: input.pagesLostRenewals ?? false,
      tells_hand_overs: input.tellsHandOvers ?? false,
      always_pages: input.alwaysPages ?? ("critical" as const),
      external_id: checkExternalId(input.externalId ?? null),
      created_at: now,
      updated_at: now,
    };
    const members = [...new Set(input.memberUserIds ?? [])].sort();
    if (members.length > LIMITS.membersOfGroup)
      throw invalidRequest(`A group has at most ${LIMITS.membersOfGroup} members.`, "memberUserIds");
    return await inTransaction(deps.database.db, async (tx) => {
      await deps.quotas.within(tx, caller.tenantId, "groups", 1);
      await deps.quotas.within(tx, caller.tenantId, "channels", row.channels.length);
      await requireIntegrations(tx, caller.tenantId, row.channels);
      await insertGroup(tx, caller.tenantId, row);
      const added = await addMembers(tx, caller.tenantId, row.id, members.filter(isUuid));
      const unknown = members.find((id) => !added.has(id));
      if (unknown !== undefined) throw invalidRequest("There is no such user.", unknown);
      const unconfirmed_channels = row.channels.length > 0 ? await unconfirmedChannels(tx, row.id) : [];
      const group = toGroupRecord({ ...row, member_user_ids: members, shift_ids: [], unconfirmed_channels });
      const write = { resource: "group", id: row.id, result: "created", at: now, after: group } as const;
      await recordWrite(tx, caller, write, deps.ids);
      return group;
    });
  },
);
