import { z } from "zod";
import { type GroupRecord, groupUseCases, LIMITS } from "../../groups/groups.ts";
import { records } from "../../lib/limits/records.ts";
import { CHANNEL_TYPE, NOTIFY } from "../named-shapes.ts";
import { publicRoute } from "../route.ts";
import { externalId, id, idParams, label, page, paging, pathId, timestamp } from "../shapes.ts";

const TAG = "Groups";

const channelFields = {
  type: CHANNEL_TYPE,
  target: z
    .string()
    .min(1)
    .max(LIMITS.targetCharacters)
    .meta({ description: "`email`: one address. `webhook`: an https address without user name, password or fragment" }),
};
export const channel = z.strictObject(channelFields).meta({ id: "Channel" });
export const newChannel = z.strictObject(channelFields).meta({ id: "ChannelCreate" });

const stepFields = {
  afterMinutes: z
    .int()
    .min(0)
    .max(LIMITS.afterMinutes)
    .meta({ description: "Counted from the start of the anomaly; each step later than the previous one" }),
  notify: NOTIFY,
};
const escalationStep = z.strictObject(stepFields).meta({ id: "EscalationStep" });
export const newEscalationStep = z.strictObject(stepFields).meta({ id: "EscalationStepCreate" });

export const groupRecord = z
  .strictObject({
    id,
    name: z.string(),
    description: z.string(),
    memberUserIds: z.array(id).meta({ description: "The users who can see the group's devices" }),
    channels: z
      .array(channel)
      .meta({ description: "The addresses at which the group is notified, besides its members" }),
    unconfirmedChannels: z.array(channel).meta({
      description:
        "Those of `channels` that are not confirmed yet. Each address gets a link with which its receiver confirms it; a webhook may instead answer the event `channel.confirmation` with its `challenge`",
    }),
    escalation: z
      .array(escalationStep)
      .meta({ description: "The recipients of an anomaly that is unacknowledged for that long" }),
    shiftIds: z.array(id).meta({ description: "Its shifts: `POST /api/v1/groups/{groupId}/shifts` adds one" }),
    externalId,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Group" });

export const NEW_GROUP_EXAMPLE = {
  id: "0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d",
  name: "Pump hall",
  description: "Everyone who looks after the pumps",
  memberUserIds: ["0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d"],
  channels: [
    { type: "email", target: "pumps@acme.example" },
    { type: "webhook", target: "https://hooks.acme.example/pumps" },
  ],
  unconfirmedChannels: [{ type: "email", target: "pumps@acme.example" }],
  escalation: [
    { afterMinutes: 0, notify: "shift" },
    { afterMinutes: 15, notify: "members" },
    { afterMinutes: 60, notify: "channels" },
  ],
  shiftIds: [] as string[],
  externalId: null,
  createdAt: "2026-11-20T10:00:00.000Z",
  updatedAt: "2026-11-20T10:00:00.000Z",
};
export const GROUP_EXAMPLE = {
  ...NEW_GROUP_EXAMPLE,
  shiftIds: ["0199c1c6-2b00-7d66-a3e4-5f6a7b8c9d0e"],
  updatedAt: "2026-11-20T10:05:00.000Z",
};

export const groupQuery = z.strictObject({
  q: z.string().max(records.searchCharacters.value).optional().meta({ description: "Part of the name, ignoring case" }),
  ...paging(50, 200),
});

export const newGroup = z
  .strictObject({
    name: label(),
    description: z.string().max(records.descriptionCharacters.value).optional(),
    memberUserIds: z
      .array(z.string().max(128))
      .max(LIMITS.membersOfGroup)
      .optional()
      .meta({ description: "Ids of the tenant's users; a repeated one counts once" }),
    channels: z.array(newChannel).max(LIMITS.channelsOfGroup).optional().meta({ description: "Without duplicates" }),
    escalation: z
      .array(newEscalationStep)
      .max(LIMITS.stepsOfGroup)
      .optional()
      .meta({ description: "In the order of `afterMinutes`, each later than the previous one" }),
    externalId: externalId.optional(),
  })
  .meta({ id: "GroupCreate" });

export const shiftAssignment = z
  .strictObject({ shiftId: id.meta({ description: "The shift's id, as `GET /api/v1/shifts` lists it" }) })
  .meta({ id: "ShiftAssignment" });

/** Returns a group with the fields of the specification: the others are set in the admin app. */
export function specified({ pagesLostRenewals: _, tellsHandOvers: __, alwaysPages: ___, ...group }: GroupRecord) {
  return group;
}

export const listGroups = publicRoute({
  useCase: groupUseCases.listGroups,
  operationId: "listGroups",
  method: "GET",
  path: "/api/v1/groups",
  tag: TAG,
  summary: "List notification groups",
  description: "The tenant's groups, newest first.",
  query: groupQuery,
  status: 200,
  response: page(groupRecord),
  errors: [],
  examples: { response: { items: [GROUP_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: async (caller, { query }, listGroups) => {
    const { items, ...rest } = await listGroups(caller, query);
    return { items: items.map(specified), ...rest };
  },
});

export const getGroup = publicRoute({
  useCase: groupUseCases.getGroup,
  operationId: "getGroup",
  method: "GET",
  path: "/api/v1/groups/{id}",
  tag: TAG,
  summary: "Get a notification group",
  description: "One group of the tenant.",
  params: idParams,
  status: 200,
  response: groupRecord,
  errors: ["not_found"],
  examples: { response: GROUP_EXAMPLE },
  handler: async (caller, { params }, getGroup) => specified(await getGroup(caller, params.id)),
});

export const createGroup = publicRoute({
  useCase: groupUseCases.createGroup,
  operationId: "createGroup",
  method: "POST",
  path: "/api/v1/groups",
  tag: TAG,
  summary: "Create a notification group",
  description:
    "Creates a group of users who are notified about, and can see, the devices in it. A channel is used once its receiver has confirmed it; the address of one of the tenant's users needs no confirmation. Shifts are assigned afterwards with `POST /api/v1/groups/{groupId}/shifts`.",
  body: newGroup,
  status: 201,
  response: groupRecord,
  errors: ["quota_exceeded", "already_exists"],
  examples: {
    body: {
      name: NEW_GROUP_EXAMPLE.name,
      description: NEW_GROUP_EXAMPLE.description,
      memberUserIds: NEW_GROUP_EXAMPLE.memberUserIds,
      channels: NEW_GROUP_EXAMPLE.channels,
      escalation: NEW_GROUP_EXAMPLE.escalation,
    },
    response: NEW_GROUP_EXAMPLE,
  },
  handler: async (caller, { body }, createGroup) => specified(await createGroup(caller, body)),
});

export const assignShift = publicRoute({
  useCase: groupUseCases.assignShift,
  operationId: "assignShift",
  method: "POST",
  path: "/api/v1/groups/{groupId}/shifts",
  tag: TAG,
  summary: "Add a shift to a group",
  description: `Adds an existing shift to a group and returns the group. A shift that the group already has changes nothing. A group has at most ${LIMITS.shiftsOfGroup} shifts.`,
  params: z.strictObject({ groupId: pathId.meta({ description: "The group's id" }) }),
  body: shiftAssignment,
  status: 200,
  response: groupRecord,
  errors: ["not_found"],
  examples: { body: { shiftId: GROUP_EXAMPLE.shiftIds[0] }, response: GROUP_EXAMPLE },
  handler: async (caller, { params, body }, assignShift) =>
    specified(await assignShift(caller, params.groupId, body.shiftId)),
});
