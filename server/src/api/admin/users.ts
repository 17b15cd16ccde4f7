import { z } from "zod";
import { accessUseCases } from "../../access/access.ts";
import { identityUseCases } from "../../identity/identity.ts";
import { inApp } from "../in-app.ts";
import { adminRoute } from "../route.ts";
import { id, idParams, nullableTimestamp, timestamp } from "../shapes.ts";
import { CHANGED_USER_EXAMPLE, changedUser, role, status, USER_VOLATILE } from "../v1/people/user-shapes.ts";
import * as specified from "../v1/people/users.ts";

const TAG = "Users";

export const listUsers = inApp(specified.listUsers, { csv: "users" });
export const getUser = inApp(specified.getUser);

export const changeUser = adminRoute({
  useCase: accessUseCases.changeUser,
  operationId: "changeUser",
  method: "PATCH",
  path: "/api/admin/users/{id}",
  tag: TAG,
  summary: "Change a user's role, deactivate or reactivate a user",
  description:
    "The user's sessions end immediately. Deactivation revokes the user's API keys permanently; a change of role does so on request. The user's MQTT clients are suspended while the user is not an active admin. The last active admin must stay, and so must the last user who runs the installation. Users who run the installation can be changed only by one of them.",
  params: idParams,
  body: z
    .strictObject({
      role: role.optional(),
      status: status.optional(),
      revokeKeys: z
        .boolean()
        .optional()
        .meta({ description: "Revoke the user's API keys, regardless of other changes" }),
    })
    .meta({ id: "UserChange" }),
  status: 200,
  response: changedUser,
  errors: ["not_found", "last_admin", "last_operator"],
  volatile: USER_VOLATILE,
  examples: {
    body: { role: "operator", revokeKeys: true },
    response: { ...CHANGED_USER_EXAMPLE, role: "operator", platform: false },
  },
  handler: (caller, { params, body, matches }, changeUser) => changeUser(caller, params.id, body, matches),
});

export const deleteUser = adminRoute({
  useCase: accessUseCases.removeUser,
  operationId: "deleteUser",
  method: "DELETE",
  path: "/api/admin/users/{id}",
  tag: TAG,
  summary: "Delete a user",
  description:
    "The user's sessions end, the user's API keys are revoked permanently, and the user's MQTT clients are suspended until another admin enables them. The last active admin must stay, and so must the last user who runs the installation. Users who run the installation can be deleted only by one of them.",
  params: idParams,
  status: 204,
  errors: ["not_found", "last_admin", "last_operator"],
  examples: {},
  handler: (caller, { params }, removeUser) => removeUser(caller, params.id),
});

export const resetUser = adminRoute({
  useCase: identityUseCases.createResetLink,
  operationId: "resetUser",
  method: "POST",
  path: "/api/admin/users/{id}/reset",
  tag: TAG,
  summary: "Create a link with which a user chooses a new password",
  description:
    "The link works once, within 30 minutes; it is mailed, and can also be passed on by hand. When it is used, the user's sessions end and the user's API keys are revoked; until then nothing changes.",
  params: idParams,
  status: 201,
  response: z
    .strictObject({
      url: z.string().meta({ description: "The link, shown only in this answer" }),
      expiresAt: timestamp,
      mailed: z.boolean().meta({
        description:
          "Whether it is being mailed: a mail server is configured, and the mailbox got fewer than six this hour",
      }),
    })
    .meta({ id: "PasswordResetLink" }),
  errors: ["not_found", "sso_required"],
  secret: true,
  examples: {
    response: {
      url: "https://muster.acme.example/reset#4uQ0mCw8S1yJYb2kq0Yd7mZ0m3pR1sTfVxG9hLkNoPa",
      expiresAt: "2026-11-20T10:30:00.000Z",
      mailed: false,
    },
  },
  handler: (caller, { params }, createResetLink) => createResetLink(caller, params.id),
});

export const resetUserFactor = adminRoute({
  useCase: identityUseCases.resetFactor,
  operationId: "resetUserFactor",
  method: "DELETE",
  path: "/api/admin/users/{id}/factor",
  tag: TAG,
  summary: "Remove the second factor of a user who lost it",
  description:
    "The recovery codes become invalid and the user's sessions end; the password alone is sufficient again. If the tenant requires a second factor of its admins, an admin sets up another one at the next sign-in. API keys stay valid.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: async (caller, { params }, resetFactor) => void (await resetFactor(caller, params.id)),
});

export const getUserImpact = adminRoute({
  useCase: accessUseCases.userImpact,
  operationId: "getUserImpact",
  method: "GET",
  path: "/api/admin/users/{id}/impact",
  tag: TAG,
  summary: "Show the API keys and MQTT clients that depend on a user",
  description:
    "The user's working API keys and MQTT clients. The keys are revoked when the user is deactivated or deleted, or completes a reset. With another role of the user, some of their scopes have no effect. The MQTT clients are suspended while the user is not an active admin.",
  params: idParams,
  query: z.strictObject({
    role: role.optional().meta({ description: "The role in question; the present one by default" }),
  }),
  status: 200,
  response: z
    .strictObject({
      keys: z.array(
        z.strictObject({
          id,
          name: z.string(),
          scopes: z.array(z.string()),
          ineffectiveScopes: z
            .array(z.string())
            .meta({ description: "Scopes that would have no effect if its owner had the role in question" }),
          lastUsedAt: nullableTimestamp,
          lastUsedAddress: z.string().nullable(),
        }),
      ),
      mqttClients: z
        .array(z.strictObject({ id, clientId: z.string(), username: z.string(), connected: z.boolean() }))
        .meta({ description: "Empty if the role in question is admin" }),
    })
    .meta({ id: "UserImpact" }),
  errors: ["not_found"],
  examples: {
    response: {
      keys: [
        {
          id: "k7Q2mX9a",
          name: "Dashboard",
          scopes: ["devices:read"],
          ineffectiveScopes: [],
          lastUsedAt: "2026-11-20T09:59:00.000Z",
          lastUsedAddress: "192.0.2.7",
        },
      ],
      mqttClients: [
        { id: "0199c1c9-1111-7a11-9c22-5e6f7a8b9c0d", clientId: "scada-gateway", username: "scada", connected: true },
      ],
    },
  },
  handler: (caller, { params, query }, userImpact) => userImpact(caller, params.id, query.role),
});
