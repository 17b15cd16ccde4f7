import { z } from "zod";
import { records } from "../../lib/limits/records.ts";
import { scimUseCases } from "../../scim/scim.ts";
import { adminRoute } from "../route.ts";
import { id, idParams, timestamp } from "../shapes.ts";

const TAG = "Tenant";
const ID = "0199c1d2-4a00-7c55-b1d2-3e4f5a6b7c8d";
const URL_EXAMPLE = "https://muster.acme.example/scim/v2";

const url = z.string().meta({ description: "The address of the SCIM API" });
const role = z
  .enum(["admin", "operator", "viewer"])
  .nullable()
  .meta({ description: "The role of the members, of several groups the highest; null: none" });
const groupIds = z.array(id).meta({ description: "The groups that the members join" });

export const getProvisioning = adminRoute({
  useCase: scimUseCases.getProvisioning,
  operationId: "getProvisioning",
  method: "GET",
  path: "/api/admin/provisioning",
  tag: TAG,
  summary: "Show provisioning",
  description: "How the tenant's identity provider keeps users and groups by SCIM 2.0 (RFC 7644).",
  status: 200,
  response: z
    .strictObject({
      url,
      token: z
        .strictObject({
          id,
          createdAt: timestamp,
          createdBy: z.string(),
          lastUsedAt: timestamp.nullable(),
          lastUsedAddress: z.string().nullable(),
        })
        .nullable(),
      groups: z
        .array(z.strictObject({ id, displayName: z.string(), members: z.int(), role, groupIds }))
        .meta({ description: "The groups of the provider, and what they stand for" }),
    })
    .meta({ id: "Provisioning" }),
  errors: [],
  examples: {
    response: {
      url: URL_EXAMPLE,
      token: {
        id: ID,
        createdAt: "2026-11-20T08:00:00.000Z",
        createdBy: `user:${ID}`,
        lastUsedAt: "2026-11-21T09:00:00.000Z",
        lastUsedAddress: "203.0.113.7",
      },
      groups: [{ id: ID, displayName: "Pump crew", members: 12, role: "operator", groupIds: [] }],
    },
  },
  handler: (caller, _input, getProvisioning) => getProvisioning(caller),
});

export const createScimToken = adminRoute({
  useCase: scimUseCases.createScimToken,
  operationId: "createScimToken",
  method: "POST",
  path: "/api/admin/provisioning/token",
  tag: TAG,
  summary: "Make the provisioning token",
  description: "The former token stops immediately. The token is shown only in this answer.",
  status: 201,
  response: z.strictObject({ id, token: z.string(), url }).meta({ id: "ScimToken" }),
  secret: true,
  errors: [],
  examples: {
    response: { id: ID, token: "mstrscim_Zk1uQ0xkYmM3b3hRZ2hJb1NhbXBsZVRva2VuMTIzNDU2Nzg", url: URL_EXAMPLE },
  },
  handler: (caller, _input, createScimToken) => createScimToken(caller),
});

export const deleteScimToken = adminRoute({
  useCase: scimUseCases.deleteScimToken,
  operationId: "deleteScimToken",
  method: "DELETE",
  path: "/api/admin/provisioning/token/{id}",
  tag: TAG,
  summary: "End provisioning",
  description: "The token stops immediately. Users and groups stay as they are.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, deleteScimToken) => deleteScimToken(caller, params.id),
});

export const mapScimGroup = adminRoute({
  useCase: scimUseCases.mapScimGroup,
  operationId: "mapScimGroup",
  method: "PUT",
  path: "/api/admin/provisioning/groups/{id}",
  tag: TAG,
  summary: "Say what a group of the provider stands for",
  description:
    "Its members get the role and join the groups now, and whenever the provider changes the group. The last admin is never demoted.",
  params: idParams,
  body: z.strictObject({ role, groupIds: groupIds.max(records.groupsOfDevice.value) }).meta({ id: "ScimMapping" }),
  status: 204,
  errors: ["not_found"],
  examples: { body: { role: "operator", groupIds: [] } },
  handler: (caller, { params, body }, mapScimGroup) => mapScimGroup(caller, params.id, body),
});
