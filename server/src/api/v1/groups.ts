import { z } from "zod";
import { publicRoute } from "../route.ts";
import { id, idParams, label, page, paging, timestamp } from "../shapes.ts";

const TAG = "Groups";

const groupRecord = z.strictObject({
  id,
  name: z.string(),
  description: z.string(),
  memberUserIds: z.array(id),
  createdAt: timestamp,
  updatedAt: timestamp,
});

const EXAMPLE = {
  id: "0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d",
  name: "Pump hall",
  description: "Everyone who looks after the pumps",
  memberUserIds: [],
  createdAt: "2026-11-20T10:00:00.000Z",
  updatedAt: "2026-11-20T10:00:00.000Z",
};

export const listGroups = publicRoute({
  operationId: "listGroups",
  method: "GET",
  path: "/api/v1/groups",
  scope: "groups:read",
  tag: TAG,
  summary: "List notification groups",
  description: "The tenant's groups, newest first.",
  query: z.strictObject({
    q: z.string().max(200).optional().meta({ description: "Part of the name, in any case" }),
    ...paging(50, 200),
  }),
  status: 200,
  response: page(groupRecord),
  errors: [],
  examples: { response: { items: [EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, { groups }) => groups.listGroups(caller, query),
});

export const getGroup = publicRoute({
  operationId: "getGroup",
  method: "GET",
  path: "/api/v1/groups/{id}",
  scope: "groups:read",
  tag: TAG,
  summary: "Get a notification group",
  description: "One group of the tenant.",
  params: idParams,
  status: 200,
  response: groupRecord,
  errors: ["not_found"],
  examples: { response: EXAMPLE },
  handler: (caller, { params }, { groups }) => groups.getGroup(caller, params.id),
});

export const createGroup = publicRoute({
  operationId: "createGroup",
  method: "POST",
  path: "/api/v1/groups",
  scope: "groups:write",
  tag: TAG,
  summary: "Create a notification group",
  description: "Makes a group of users who are told about, and see, the devices in it.",
  body: z.strictObject({
    name: label(),
    description: z.string().max(2_000).optional(),
    memberUserIds: z.array(z.string().max(128)).max(500).optional(),
  }),
  status: 201,
  response: groupRecord,
  errors: [],
  examples: { body: { name: EXAMPLE.name, description: EXAMPLE.description }, response: EXAMPLE },
  handler: (caller, { body }, { groups }) => groups.createGroup(caller, body),
});
