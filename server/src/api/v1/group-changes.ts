import { z } from "zod";
import { type GroupRecord, groupUseCases, LIMITS } from "../../groups/groups.ts";
import { publicRoute } from "../route.ts";
import { idParams, pathId } from "../shapes.ts";
import { GROUP_EXAMPLE, groupRecord, newChannel, newGroup, specified } from "./groups.ts";

const TAG = "Groups";
const PATH = "/api/v1/groups/{id}";

/** Returns `If-Match` for the record of `GET`, which lacks the fields that only the admin app sets. */
function guardOf(matches: ((record: object) => boolean) | undefined) {
  return matches ? { matches: (group: object) => matches(specified(group as GroupRecord)) } : {};
}

export const updateGroup = publicRoute({
  useCase: groupUseCases.editGroup,
  operationId: "updateGroup",
  method: "PATCH",
  path: PATH,
  tag: TAG,
  summary: "Change a notification group",
  description:
    "Absent fields stay unchanged. Pages of open anomalies follow the escalation with which they were planned. Members and channels have operations and scopes of their own.",
  params: idParams,
  body: newGroup
    .pick({ name: true, description: true, escalation: true, externalId: true })
    .partial()
    .meta({ id: "GroupUpdate" }),
  status: 200,
  response: groupRecord,
  errors: ["not_found", "already_exists"],
  examples: { body: { escalation: GROUP_EXAMPLE.escalation }, response: GROUP_EXAMPLE },
  handler: async (caller, { params, body, matches }, editGroup) =>
    specified(await editGroup(caller, params.id, body, guardOf(matches))),
});

export const setGroupMembers = publicRoute({
  useCase: groupUseCases.setGroupMembers,
  operationId: "updateGroupMembers",
  method: "PUT",
  path: `${PATH}/members`,
  tag: TAG,
  summary: "Replace the members of a group",
  description: "Members see the devices of the group; users who are removed no longer do. Returns the group.",
  params: idParams,
  body: z
    .strictObject({ memberUserIds: z.array(z.string().max(128)).max(LIMITS.membersOfGroup) })
    .meta({ id: "GroupMembersUpdate" }),
  status: 200,
  response: groupRecord,
  errors: ["not_found"],
  examples: { body: { memberUserIds: GROUP_EXAMPLE.memberUserIds }, response: GROUP_EXAMPLE },
  handler: async (caller, { params, body, matches }, setGroupMembers) =>
    specified(await setGroupMembers(caller, params.id, body.memberUserIds, guardOf(matches))),
});

export const setGroupChannels = publicRoute({
  useCase: groupUseCases.setGroupChannels,
  operationId: "updateGroupChannels",
  method: "PUT",
  path: `${PATH}/channels`,
  tag: TAG,
  summary: "Replace the channels of a group",
  description:
    "A new channel is used once its receiver has confirmed it; an existing one keeps its confirmation. Returns the group.",
  params: idParams,
  body: z
    .strictObject({ channels: z.array(newChannel).max(LIMITS.channelsOfGroup) })
    .meta({ id: "GroupChannelsUpdate" }),
  status: 200,
  response: groupRecord,
  errors: ["not_found", "quota_exceeded"],
  examples: { body: { channels: GROUP_EXAMPLE.channels }, response: GROUP_EXAMPLE },
  handler: async (caller, { params, body, matches }, setGroupChannels) =>
    specified(await setGroupChannels(caller, params.id, body.channels, guardOf(matches))),
});

export const deleteGroup = publicRoute({
  useCase: groupUseCases.deleteGroup,
  operationId: "deleteGroup",
  method: "DELETE",
  path: PATH,
  tag: TAG,
  summary: "Delete a notification group",
  description:
    "Deletes a group that contains no device and that no open claim names. Its shifts stay; its tickets stay, without a group.",
  params: idParams,
  status: 204,
  errors: ["not_found", "in_use"],
  examples: {},
  handler: (caller, { params }, deleteGroup) => deleteGroup(caller, params.id),
});

export const unassignShift = publicRoute({
  useCase: groupUseCases.unassignShift,
  operationId: "unassignShift",
  method: "DELETE",
  path: `${PATH}/shifts/{shiftId}`,
  tag: TAG,
  summary: "Remove a shift from a group",
  description: "The shift itself stays. A shift that the group does not have changes nothing.",
  params: z.strictObject({ ...idParams.shape, shiftId: pathId.meta({ description: "The shift's id" }) }),
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, unassignShift) => unassignShift(caller, params.id, params.shiftId),
});
