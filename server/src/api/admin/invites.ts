import { z } from "zod";
import { identityServices, identityUseCases } from "../../identity/identity.ts";
import { records } from "../../lib/limits/records.ts";
import { inApp } from "../in-app.ts";
import { adminRoute, openRoute } from "../route.ts";
import { idParams, timestamp } from "../shapes.ts";
import { INVITE_EXAMPLE, inviteFields, MADE_INVITE_EXAMPLE, madeInvite, role } from "../v1/people/user-shapes.ts";
import * as specified from "../v1/people/users.ts";
import { SESSION_EXAMPLE, sessionRecord, withSessionOf } from "./sign-in/session.ts";
import { email, linkToken, password } from "./sign-in/setup.ts";

const TAG = "Users";

export const listInvites = inApp(specified.listInvites);

export const inviteUser = adminRoute({
  useCase: identityUseCases.inviteUser,
  operationId: "inviteUser",
  method: "POST",
  path: "/api/admin/invites",
  tag: TAG,
  summary: "Invite a user",
  description:
    "The link works once, within 72 hours; it is mailed, and can also be passed on by hand. A later invitation of the same address replaces it. An address that has an account gets the same answer; its mail says so instead of containing the link. Inviting an admin needs a step-up.",
  body: z
    .strictObject({
      email,
      role,
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
  examples: {
    body: { email: "grace@acme.example", role: "operator" },
    response: MADE_INVITE_EXAMPLE,
  },
  handler: (caller, { body }, inviteUser) => inviteUser(caller, body),
});

export const withdrawInvite = adminRoute({
  useCase: identityUseCases.withdrawInvite,
  operationId: "withdrawInvite",
  method: "DELETE",
  path: "/api/admin/invites/{id}",
  tag: TAG,
  summary: "Withdraw an invitation",
  description: "Its link stops working immediately.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, withdrawInvite) => withdrawInvite(caller, params.id),
});

export const openInvite = openRoute({
  service: identityServices.openInvite,
  operationId: "openInvite",
  method: "POST",
  path: "/api/admin/invites/open",
  tag: TAG,
  summary: "Show an invitation",
  description:
    "The inviting tenant and the invited address, for the person who opens the link. Nothing changes: the link can still be used.",
  body: z.strictObject({ token: linkToken }).meta({ id: "InviteToken" }),
  status: 200,
  response: z
    .strictObject({ tenantName: z.string(), email: inviteFields.email, role, expiresAt: timestamp })
    .meta({ id: "OpenedInvite" }),
  errors: ["link_expired"],
  examples: {
    body: { token: "4uQ0mCw8S1yJYb2kq0Yd7mZ0m3pR1sTfVxG9hLkNoPa" },
    response: {
      tenantName: "Acme Pumps",
      email: INVITE_EXAMPLE.email,
      role: INVITE_EXAMPLE.role,
      expiresAt: INVITE_EXAMPLE.expiresAt,
    },
  },
  handler: (_visitor, { body }, openInvite) => openInvite(body.token),
});

export const acceptInvite = openRoute({
  service: identityServices.acceptInvite,
  operationId: "acceptInvite",
  method: "POST",
  path: "/api/admin/invites/accept",
  tag: TAG,
  summary: "Accept an invitation",
  description: "Creates the invited user with this password, and signs in.",
  body: z.strictObject({ token: linkToken, password }).meta({ id: "AcceptedInvite" }),
  status: 201,
  response: sessionRecord,
  errors: ["link_expired", "already_exists", "quota_exceeded", "sso_required"],
  examples: {
    body: { token: "4uQ0mCw8S1yJYb2kq0Yd7mZ0m3pR1sTfVxG9hLkNoPa", password: "correct horse battery staple" },
    response: SESSION_EXAMPLE,
  },
  handler: async (visitor, { body }, acceptInvite) => {
    const { address, userAgent } = visitor;
    return withSessionOf(await acceptInvite({ ...body, address, userAgent }), visitor);
  },
});
