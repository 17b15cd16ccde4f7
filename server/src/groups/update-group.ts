import { isDeepStrictEqual } from "node:util";
import { adminUseCase, type Caller, type PreparedChange } from "../access/access.ts";
import type { Tx } from "../db/database.ts";
import { isUuid } from "../lib/ids.ts";
import { invalidRequest, notFound, preconditionFailed } from "../lib/request-errors.ts";
import { checkExternalId, plainLine, plainText } from "../lib/text.ts";
import { type Channel, checkChannels } from "./channels.ts";
import type { NewGroup } from "./create-group.ts";
import type { GroupsDeps } from "./deps.ts";
import { checkEscalation } from "./escalation.ts";
import { setMembers, updateGroupRow } from "./group-change-store.ts";
import { type GroupRecord, toGroupRecord } from "./group-record.ts";
import { findGroup, lockGroup } from "./group-store.ts";
import { requireIntegrations } from "./integration-reference-store.ts";
import { LIMITS } from "./limits.ts";

/** A change to a group. Absent fields stay unchanged. */
export type GroupEdit = { [Field in keyof NewGroup]?: NewGroup[Field] | undefined };

export interface Precondition {
  /** Evaluates `If-Match` against the record under its lock. */
  matches?: ((record: object) => boolean) | undefined;
}

/** Prepares a change of a group. A repeated change records nothing. */
async function changeGroup(
  deps: GroupsDeps,
  { tenantId }: Caller,
  id: string,
  input: GroupEdit,
  { matches }: Precondition = {},
): Promise<PreparedChange<GroupRecord>> {
  if (!isUuid(id)) throw notFound("group");
  const fields = {
    name: input.name === undefined ? undefined : plainLine("name", input.name),
    description: input.description === undefined ? undefined : plainText("description", input.description),
    channels: input.channels && checkChannels(input.channels),
    escalation: input.escalation && checkEscalation(input.escalation),
    pagesLostRenewals: input.pagesLostRenewals,
    tellsHandOvers: input.tellsHandOvers,
    alwaysPages: input.alwaysPages,
    externalId: input.externalId === undefined ? undefined : checkExternalId(input.externalId),
  };
  return {
    change: async (tx) => {
      const before = await lockedGroup(tx, tenantId, id);
      if (matches && !matches(before)) throw preconditionFailed();
      const added = (fields.channels?.length ?? 0) - before.channels.length;
      if (added > 0) await deps.quotas.within(tx, tenantId, "channels", added);
      if (fields.channels) await requireIntegrations(tx, tenantId, fields.channels);
      if (input.memberUserIds) await changeMembers(tx, tenantId, id, input.memberUserIds);
      if (!changes(before, { ...fields, memberUserIds: input.memberUserIds }))
        return { target: id, result: before, unchanged: true };
      await updateGroupRow(tx, tenantId, id, fields, deps.clock.now());
      const result = toGroupRecord((await findGroup(tx, tenantId, id))!);
      return { target: id, before, after: result, result };
    },
  };
}

/**
 * Changes a group. A new channel is used once its receiver has confirmed it; existing ones keep their confirmation.
 * Removed members no longer see the group's devices.
 *
 * @throws MusterError not_found; precondition_failed; invalid_request as {@link createGroup}; quota_exceeded;
 *   already_exists (the external id)
 */
export const updateGroup = adminUseCase({ role: "admin" }, "group.update", changeGroup);

/** Changes the fields of a group that decide neither who sees its devices nor who is sent its pages. */
export const editGroup = adminUseCase(
  { scope: "groups:write", role: "admin" },
  "group.update",
  (deps: GroupsDeps, caller, id: string, input: Omit<GroupEdit, "memberUserIds" | "channels">, guard?: Precondition) =>
    changeGroup(deps, caller, id, input, guard),
);

/** Replaces the members of a group, who see its devices. */
export const setGroupMembers = adminUseCase(
  { scope: "group-members:write", role: "admin" },
  "group.update",
  (deps: GroupsDeps, caller, id: string, memberUserIds: readonly string[], guard?: Precondition) =>
    changeGroup(deps, caller, id, { memberUserIds }, guard),
);

/** Replaces the channels of a group, to which its pages are sent. */
export const setGroupChannels = adminUseCase(
  { scope: "group-channels:write", role: "admin" },
  "group.update",
  (deps: GroupsDeps, caller, id: string, channels: readonly Channel[], guard?: Precondition) =>
    changeGroup(deps, caller, id, { channels }, guard),
);

async function lockedGroup(tx: Tx, tenantId: string, id: string): Promise<GroupRecord> {
  if (!(await lockGroup(tx, tenantId, id))) throw notFound("group");
  return toGroupRecord((await findGroup(tx, tenantId, id))!);
}

async function changeMembers(tx: Tx, tenantId: string, id: string, userIds: readonly string[]): Promise<void> {
  const members = [...new Set(userIds)].sort();
  if (members.length > LIMITS.membersOfGroup)
    throw invalidRequest(`A group has at most ${LIMITS.membersOfGroup} members.`, "memberUserIds");
  const known = await setMembers(tx, tenantId, id, members.filter(isUuid));
  const unknown = members.find((member) => !known.has(member));
  if (unknown !== undefined) throw invalidRequest("There is no such user.", unknown);
}

/** Checks whether the record differs from the wanted state, so that repeating a change has no effect. */
function changes(record: GroupRecord, { memberUserIds, ...wanted }: GroupEdit): boolean {
  if (memberUserIds && !isDeepStrictEqual(new Set(memberUserIds), new Set(record.memberUserIds))) return true;
  return Object.entries(wanted).some(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, record[name as keyof GroupRecord]),
  );
}
