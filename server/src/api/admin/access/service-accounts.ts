import { z } from "zod";
import { accessUseCases } from "../../../access/access.ts";
import { groupUseCases } from "../../../groups/groups.ts";
import { records } from "../../../lib/limits/records.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, label, offsetPaging, page, timestamp } from "../../shapes.ts";
import { role, status } from "../../v1/people/user-shapes.ts";

const TAG = "Service accounts";

const account = z
  .strictObject({
    id,
    name: z.string(),
    role,
    status,
    groupIds: z.array(id).meta({ description: "The groups whose devices it sees, unless it is an admin" }),
    contact: z
      .strictObject({ id, email: z.string(), active: z.boolean() })
      .meta({ description: "The person to contact; not active if deactivated or deleted" }),
    createdAt: timestamp,
    endsAt: timestamp.meta({ description: "When its keys stop" }),
    addressRanges: z
      .array(z.string())
      .meta({ description: "The networks from which its keys are admitted; empty for any" }),
  })
  .meta({ id: "ServiceAccount" });

const EXAMPLE = {
  id: "0199c1c2-6a00-7c55-b1d2-3e4f5a6b7c8d",
  name: "Warehouse sync",
  role: "operator",
  status: "active",
  groupIds: ["0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d"],
  contact: { id: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d", email: "ada@acme.example", active: true },
  createdAt: "2026-11-20T09:00:00.000Z",
  endsAt: "2027-11-20T09:00:00.000Z",
  addressRanges: ["203.0.113.0/24"],
};

const contactUserId = id.meta({ description: "An active user of the tenant" });
const expiresInDays = z.int().min(1).max(records.daysOfServiceAccount.value).meta({ description: "From now on" });

const groupIds = z
  .array(id)
  .max(records.groupsOfDevice.value)
  .meta({ description: "It sees the devices of these groups unless it is an admin; pages never reach it" });
const addressRanges = z.array(z.string().max(64)).max(records.rangesOfServiceAccount.value).meta({
  description: "Addresses, and networks such as `203.0.113.0/24`; requests of its keys from elsewhere are refused",
});

export const listServiceAccounts = adminRoute({
  useCase: accessUseCases.listServiceAccounts,
  operationId: "listServiceAccounts",
  method: "GET",
  path: "/api/admin/service-accounts",
  tag: TAG,
  summary: "List service accounts",
  description: "The service accounts that are not deleted, by name.",
  query: z.strictObject(offsetPaging(50, 200)),
  status: 200,
  response: page(account),
  errors: [],
  examples: { response: { items: [EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listServiceAccounts) => listServiceAccounts(caller, query),
});

export const getServiceAccount = adminRoute({
  useCase: accessUseCases.getServiceAccount,
  operationId: "getServiceAccount",
  method: "GET",
  path: "/api/admin/service-accounts/{id}",
  tag: TAG,
  summary: "Get a service account",
  description: "A service account that is not deleted. Its keys are in the list of API keys (`userId`).",
  params: idParams,
  status: 200,
  response: account,
  errors: ["not_found"],
  examples: { response: EXAMPLE },
  handler: (caller, { params }, getServiceAccount) => getServiceAccount(caller, params.id),
});

export const createServiceAccount = adminRoute({
  useCase: groupUseCases.createServiceAccount,
  operationId: "createServiceAccount",
  method: "POST",
  path: "/api/admin/service-accounts",
  tag: TAG,
  summary: "Create a service account",
  description:
    "A user that cannot sign in, for a program. It stays when the admin who creates it leaves. `POST /api/admin/keys` makes keys for it, which never have more rights than the account.",
  body: z
    .strictObject({
      name: label(),
      role,
      contactUserId: contactUserId.optional(),
      expiresInDays,
      groupIds: groupIds.optional(),
      addressRanges: addressRanges.optional(),
    })
    .meta({ id: "ServiceAccountCreate" }),
  status: 201,
  response: account,
  errors: ["already_exists", "quota_exceeded"],
  examples: { body: { name: "Warehouse sync", role: "operator", expiresInDays: 365 }, response: EXAMPLE },
  handler: (caller, { body }, createServiceAccount) => createServiceAccount(caller, body),
});

export const updateServiceAccount = adminRoute({
  useCase: groupUseCases.updateServiceAccount,
  operationId: "updateServiceAccount",
  method: "PATCH",
  path: "/api/admin/service-accounts/{id}",
  tag: TAG,
  summary: "Change, deactivate or reactivate a service account",
  description:
    "A change takes effect at the next request of its keys. A deactivation revokes them permanently; a reactivated account needs new ones.",
  params: idParams,
  body: z
    .strictObject({
      name: label().optional(),
      role: role.optional(),
      contactUserId: contactUserId.optional(),
      expiresInDays: expiresInDays.optional(),
      groupIds: groupIds.optional(),
      addressRanges: addressRanges.optional(),
      status: status.optional(),
    })
    .meta({ id: "ServiceAccountUpdate" }),
  status: 200,
  response: account,
  errors: ["not_found", "already_exists"],
  examples: { body: { role: "viewer" }, response: { ...EXAMPLE, role: "viewer" } },
  handler: (caller, { params, body, matches }, updateServiceAccount) =>
    updateServiceAccount(caller, params.id, body, { matches }),
});

export const deleteServiceAccount = adminRoute({
  useCase: accessUseCases.deleteServiceAccount,
  operationId: "deleteServiceAccount",
  method: "DELETE",
  path: "/api/admin/service-accounts/{id}",
  tag: TAG,
  summary: "Delete a service account",
  description: "Revokes its keys permanently. Histories keep its name.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, deleteServiceAccount) => deleteServiceAccount(caller, params.id),
});
