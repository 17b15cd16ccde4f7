import { z } from "zod";
import { identityServices } from "../../../identity/identity.ts";
import { withSession } from "../../pipeline/cookies.ts";
import { accountRoute, openRoute } from "../../route.ts";
import { id, idParams, timestamp } from "../../shapes.ts";
import { email, linkToken, password } from "./setup.ts";

const TAG = "Session";

const PASSWORD = "correct horse battery staple";
const TOKEN = "4uQ0mCw8S1yJYb2kq0Yd7mZ0m3pR1sTfVxG9hLkNoPa";

export const changePassword = accountRoute({
  service: identityServices.changePassword,
  operationId: "changePassword",
  method: "PUT",
  path: "/api/admin/password",
  tag: TAG,
  summary: "Change your password",
  description: "Every session of the user ends; this browser gets a new one. API keys stay.",
  body: z
    .strictObject({ currentPassword: z.string().min(1).max(1_024), newPassword: password })
    .meta({ id: "PasswordChange" }),
  status: 204,
  evenWithout: ["password"],
  errors: ["invalid_credentials", "sign_in_throttled", "sso_required"],
  examples: { body: { currentPassword: "5v1nTt0Zp3cYhWq8Rk2LdB", newPassword: PASSWORD } },
  handler: async (holder, { body }, changePassword) => {
    const { session, address, userAgent } = holder;
    const { token } = await changePassword(session, { ...body, address, userAgent });
    return withSession(undefined, { token });
  },
});

export const forgotPassword = openRoute({
  service: identityServices.forgotPassword,
  operationId: "forgotPassword",
  method: "POST",
  path: "/api/admin/password/forgot",
  tag: TAG,
  summary: "Request a mailed link to reset the password",
  description:
    "Mails a link to the address if a user has it, at most three per hour. The answer is the same for every address. Without a mail server nothing is mailed; an admin creates the link instead.",
  body: z.strictObject({ email }).meta({ id: "ForgottenPassword" }),
  status: 204,
  errors: [],
  examples: { body: { email: "ada@acme.example" } },
  handler: (_visitor, { body }, forgotPassword) => forgotPassword(body.email),
});

export const resetPassword = openRoute({
  service: identityServices.completeReset,
  operationId: "resetPassword",
  method: "POST",
  path: "/api/admin/password/reset",
  tag: TAG,
  summary: "Choose a new password with a link",
  description: "The user's sessions end and the user's API keys are revoked. Failed sign-ins are cleared.",
  body: z.strictObject({ token: linkToken, password }).meta({ id: "PasswordReset" }),
  status: 204,
  errors: ["link_expired", "sso_required"],
  examples: { body: { token: TOKEN, password: PASSWORD } },
  handler: ({ address, userAgent }, { body }, completeReset) => completeReset({ ...body, address, userAgent }),
});

const sessionItem = z
  .strictObject({
    id,
    createdAt: timestamp,
    lastUsedAt: timestamp.meta({ description: "When it was last used, to the minute" }),
    expiresAt: timestamp,
    address: z.string().meta({ description: "The address from which the user signed in" }),
    userAgent: z.string(),
    current: z.boolean().meta({ description: "Whether it is the session of this request" }),
  })
  .meta({ id: "OwnSession" });

export const listSessions = accountRoute({
  service: identityServices.listOwnSessions,
  operationId: "listSessions",
  method: "GET",
  path: "/api/admin/sessions",
  tag: TAG,
  summary: "List your sessions",
  description: "The user's sessions, newest first, at most 20.",
  status: 200,
  response: z.strictObject({ items: z.array(sessionItem) }).meta({ id: "OwnSessions" }),
  errors: [],
  examples: {
    response: {
      items: [
        {
          id: "0199c1d2-4a00-7c55-b1d2-3e4f5a6b7c8d",
          createdAt: "2026-11-20T08:00:00.000Z",
          lastUsedAt: "2026-11-20T10:00:00.000Z",
          expiresAt: "2026-11-21T08:00:00.000Z",
          address: "192.0.2.7",
          userAgent: "Mozilla/5.0 (X11; Linux x86_64)",
          current: true,
        },
      ],
    },
  },
  handler: async ({ session }, _input, listOwnSessions) => ({ items: await listOwnSessions(session) }),
});

export const endSession = accountRoute({
  service: identityServices.endOwnSession,
  operationId: "endSession",
  method: "DELETE",
  path: "/api/admin/sessions/{id}",
  tag: TAG,
  summary: "Sign out one of your sessions",
  description: "The session ends immediately, in every process.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: ({ session, address }, { params }, endOwnSession) => endOwnSession(session, { id: params.id, address }),
});

export const endOtherSessions = accountRoute({
  service: identityServices.endOtherSessions,
  operationId: "endOtherSessions",
  method: "DELETE",
  path: "/api/admin/sessions",
  tag: TAG,
  summary: "Sign out your other sessions",
  description: "All sessions except that of this request end immediately.",
  status: 204,
  errors: [],
  examples: {},
  handler: ({ session, address }, _input, endOtherSessions) => endOtherSessions(session, address),
});
