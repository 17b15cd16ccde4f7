import { z } from "zod";
import { accessUseCases } from "../../../access/access.ts";
import { identityUseCases } from "../../../identity/identity.ts";
import { records } from "../../../lib/limits/records.ts";
import { publicRoute } from "../../route.ts";
import { idParams, offsetPaging, page, paging } from "../../shapes.ts";
import {
  CHANGED_USER_EXAMPLE,
  changedUser,
  INVITE_EXAMPLE,
  invite,
  MADE_INVITE_EXAMPLE,
  madeInvite,
  role,
  status,
  USER_EXAMPLE,
  USER_VOLATILE,
  userRecord,
} from "./user-shapes.ts";

const TAG = "Users";

/** The roles that a program may give: an admin is made by an admin, with a step-up. */
const givenRole = z
  .enum(["operator", "viewer"])
  .meta({ id: "GivenRole", description: "Admins are invited and promoted in the admin app" });

export const listUsers = publicRoute({
  useCase: identityUseCases.listAccounts,
  operationId: "listUsers",
  method: "GET",
  path: "/api/v1/users",
  tag: TAG,
  summary: "List users",
  description: "The tenant's users who are not deleted, newest first.",
  query: z.strictObject({
    ...paging(50, 200),
    q: z
      .string()
      .max(records.searchCharacters.value)
      .optional()
      .meta({ description: "Part of the address or the name, ignoring case" }),
    role: role.optional(),
    status: status.optional(),
  }),
  status: 200,
  response: page(userRecord),
  errors: [],
  examples: { response: { items: [USER_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listAccounts) => listAccounts(caller, query),
});

export const getUser = publicRoute({
  useCase: identityUseCases.getAccount,
  operationId: "getUser",
  method: "GET",
  path: "/api/v1/users/{id}",
  tag: TAG,
  summary: "Get a user",
  description: "A user of the tenant who is not deleted.",
  params: idParams,
  status: 200,
  response: userRecord,
  errors: ["not_found"],
  volatile: USER_VOLATILE,
  examples: { response: USER_EXAMPLE },
  handler: (caller, { params }, getAccount) => getAccount(caller, params.id),
});

export const updateUser = publicRoute({
  useCase: accessUseCases.changeUser,
  operationId: "updateUser",
  method: "PATCH",
  path: "/api/v1/users/{id}",
  tag: TAG,
  summary: "Change a user's role, deactivate or reactivate a user",
  description:
    "The user's sessions end immediately. Deactivation revokes the user's API keys permanently. The last active admin must stay, and users who run the installation cannot be changed by a key.",
  params: idParams,
  body: z.strictObject({ role: givenRole.optional(), status: status.optional() }).meta({ id: "UserUpdate" }),
  status: 200,
  response: changedUser,
  errors: ["not_found", "last_admin"],
  volatile: USER_VOLATILE,
  examples: {
    body: { role: "operator" },
    response: { ...CHANGED_USER_EXAMPLE, role: "operator", platform: false },
  },
  handler: (caller, { params, body, matches }, changeUser) => changeUser(caller, params.id, body, matches),
});

export const listInvites = publicRoute({
  useCase: identityUseCases.listInvites,
  operationId: "listInvites",
  method: "GET",
  path: "/api/v1/invites",
  tag: TAG,
  summary: "List open invitations",
  description: "Invitations that were not accepted or withdrawn and have not expired, newest first.",
  query: z.strictObject(offsetPaging(50, 200)),
  status: 200,
  response: page(invite),
  errors: [],
  examples: { response: { items: [INVITE_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listInvites) => listInvites(caller, query),
});

export const createInvite = publicRoute({
  useCase: identityUseCases.inviteUser,
  operationId: "createInvite",
  method: "POST",
  path: "/api/v1/invites",
  tag: TAG,
  summary: "Invite a user",
  description:
    "The link works once, within 72 hours; it is mailed, and can also be passed on by hand. A later invitation of the same address replaces it. An address that has an account gets the same answer; its mail says so instead of containing the link.",
  body: z
    .strictObject({
      email: z.string().min(1).max(254),
      role: givenRole,
      groupIds: z
        .array(z.string().max(128))
        .max(records.groupsOfDevice.value)
        .optional()
        .meta({ description: "Groups that the user joins at the acceptance" }),
    })
    .meta({ id: "InviteCreate" }),
  status: 201,
  response: madeInvite,
  errors: ["quota_exceeded"],
  secret: true,
  examples: { body: { email: "grace@acme.example", role: "operator" }, response: MADE_INVITE_EXAMPLE },
  handler: (caller, { body }, inviteUser) => inviteUser(caller, body),
});

export const deleteInvite = publicRoute({
  useCase: identityUseCases.withdrawInvite,
  operationId: "deleteInvite",
  method: "DELETE",
  path: "/api/v1/invites/{id}",
  tag: TAG,
  summary: "Withdraw an invitation",
  description: "Its link stops working immediately.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, withdrawInvite) => withdrawInvite(caller, params.id),
});
