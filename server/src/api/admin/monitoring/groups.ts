import { z } from "zod";
import { ALWAYS_PAGES, groupUseCases } from "../../../groups/groups.ts";
import { adminRoute } from "../../route.ts";
import { idParams, page, pathId } from "../../shapes.ts";
import * as specified from "../../v1/groups.ts";

const TAG = "Groups";

const alwaysPages = z.enum(ALWAYS_PAGES).meta({
  description: "The pages that no quiet choice of a user holds back; a new group has `critical`",
});
const groupRecord = specified.groupRecord
  .extend({
    pagesLostRenewals: z.boolean().meta({
      description:
        "Whether a certificate that a device of the group does not renew within a day, or a bundle that expires within 30 days, opens an anomaly that escalates",
    }),
    tellsHandOvers: z.boolean().meta({
      description: "Whether both sides get an e-mail when the duty passes from some people to others",
    }),
    alwaysPages,
  })
  .meta({ id: "Group" });
const newGroup = specified.newGroup
  .extend({
    pagesLostRenewals: z.boolean().optional().meta({ description: "`false` by default" }),
    tellsHandOvers: z.boolean().optional().meta({ description: "`false` by default" }),
    alwaysPages: alwaysPages.optional(),
  })
  .meta({ id: "GroupCreate" });

const CHOICES = { pagesLostRenewals: false, tellsHandOvers: false, alwaysPages: "critical" };
const NEW_GROUP_EXAMPLE = { ...specified.NEW_GROUP_EXAMPLE, ...CHOICES };
const GROUP_EXAMPLE = { ...specified.GROUP_EXAMPLE, ...CHOICES };
const { id: _, createdAt: __, updatedAt: ___, unconfirmedChannels: ____, shiftIds: _____, ...NEW } = NEW_GROUP_EXAMPLE;

export const listGroups = adminRoute({
  useCase: groupUseCases.listGroups,
  operationId: "listGroups",
  csv: "groups",
  method: "GET",
  path: "/api/admin/groups",
  tag: TAG,
  summary: "List notification groups",
  description: "The tenant's groups, newest first. Users other than admins see only groups of which they are members.",
  query: specified.groupQuery,
  status: 200,
  response: page(groupRecord),
  errors: [],
  examples: { response: { items: [GROUP_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listGroups) => listGroups(caller, query),
});

export const getGroup = adminRoute({
  useCase: groupUseCases.getGroup,
  operationId: "getGroup",
  method: "GET",
  path: "/api/admin/groups/{id}",
  tag: TAG,
  summary: "Get a notification group",
  description: "One group that the user can see.",
  params: idParams,
  status: 200,
  response: groupRecord,
  errors: ["not_found"],
  examples: { response: GROUP_EXAMPLE },
  handler: (caller, { params }, getGroup) => getGroup(caller, params.id),
});

export const createGroup = adminRoute({
  useCase: groupUseCases.createGroup,
  operationId: "createGroup",
  method: "POST",
  path: "/api/admin/groups",
  tag: TAG,
  summary: "Create a notification group",
  description:
    "Creates a group of users who are notified about, and can see, the devices in it. A channel is used once its receiver has confirmed it.",
  body: newGroup,
  status: 201,
  response: groupRecord,
  errors: ["quota_exceeded", "already_exists"],
  examples: { body: NEW, response: NEW_GROUP_EXAMPLE },
  handler: (caller, { body }, createGroup) => createGroup(caller, body),
});

export const updateGroup = adminRoute({
  useCase: groupUseCases.updateGroup,
  operationId: "updateGroup",
  method: "PATCH",
  path: "/api/admin/groups/{id}",
  tag: TAG,
  summary: "Change a notification group",
  description:
    "Absent fields stay unchanged. A new channel is used once its receiver has confirmed it; an existing one keeps its confirmation. Pages of open anomalies follow the escalation with which they were planned, but go to the present people and channels.",
  params: idParams,
  body: newGroup.partial().meta({ id: "GroupEdit" }),
  status: 200,
  response: groupRecord,
  errors: ["not_found", "precondition_failed", "quota_exceeded", "already_exists"],
  examples: { body: { escalation: NEW.escalation }, response: GROUP_EXAMPLE },
  handler: (caller, { params, body, matches }, updateGroup) => updateGroup(caller, params.id, body, { matches }),
});

export const deleteGroup = adminRoute({
  useCase: groupUseCases.deleteGroup,
  operationId: "deleteGroup",
  method: "DELETE",
  path: "/api/admin/groups/{id}",
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

export const assignShift = adminRoute({
  useCase: groupUseCases.assignShift,
  operationId: "assignShift",
  method: "POST",
  path: "/api/admin/groups/{id}/shifts",
  tag: TAG,
  summary: "Add a shift to a group",
  description: "Returns the group. A shift that the group already has changes nothing.",
  params: idParams,
  body: specified.shiftAssignment,
  status: 200,
  response: groupRecord,
  errors: ["not_found"],
  examples: { body: { shiftId: GROUP_EXAMPLE.shiftIds[0] }, response: GROUP_EXAMPLE },
  handler: (caller, { params, body }, assignShift) => assignShift(caller, params.id, body.shiftId),
});

export const unassignShift = adminRoute({
  useCase: groupUseCases.unassignShift,
  operationId: "unassignShift",
  method: "DELETE",
  path: "/api/admin/groups/{id}/shifts/{shiftId}",
  tag: TAG,
  summary: "Remove a shift from a group",
  description: "The shift itself stays. A shift that the group does not have changes nothing.",
  params: z.strictObject({ ...idParams.shape, shiftId: pathId.meta({ description: "The shift's id" }) }),
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, unassignShift) => unassignShift(caller, params.id, params.shiftId),
});
