import { z } from "zod";
import { identityServices, MISSING, type Opened, type Session } from "../../../identity/identity.ts";
import { ended, withSession } from "../../pipeline/cookies.ts";
import { accountRoute, openRoute, type Visitor } from "../../route.ts";
import { id } from "../../shapes.ts";

const TAG = "Session";

/** The answer to a sign-in and to `GET session`. */
export const sessionRecord = z
  .strictObject({
    user: z.strictObject({
      id,
      email: z.string(),
      role: z.enum(["admin", "operator", "viewer"]),
      platform: z.boolean().meta({ description: "Whether the user runs the installation besides" }),
    }),
    tenant: z.strictObject({ id, slug: z.string(), name: z.string() }),
    factor: z.enum(["none", "given", "required", "due"]).meta({
      description:
        "`required`: the sign-in is completed with `POST /api/admin/session/factor`. `due`: the tenant requires a second factor of its admins, and `POST /api/admin/factors` comes first",
    }),
    passwordDue: z
      .boolean()
      .meta({ description: "The password was drawn by the service: `PUT /api/admin/password` comes first" }),
    operations: z
      .array(z.string())
      .meta({ description: "The `operationId` of every operation that the user may call" }),
  })
  .meta({ id: "Session" });

export const SESSION_EXAMPLE = {
  user: { id: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d", email: "ada@acme.example", role: "admin", platform: true },
  tenant: { id: "0199c1c0-0000-7a11-8c22-5e6f7a8b9c0d", slug: "acme", name: "Acme Pumps" },
  factor: "none",
  passwordDue: false,
  operations: ["getSession", "signOut"],
};

/** What the holder of a session learns of it. */
export function toRecord(session: Session, visitor: Visitor) {
  const { user, tenant, factor, passwordDue } = session;
  return { user, tenant, factor, passwordDue, operations: visitor.operationsOf(session) };
}

/** The answer that begins a session. */
export function withSessionOf(opened: Opened, visitor: Visitor) {
  const { session, ...cookies } = opened;
  return withSession(toRecord(session, visitor), cookies);
}

/** Any text: what can be no code is answered like a wrong one. */
export const code = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: "Six digits of the authenticator app, or a recovery code" });

const credentials = z
  .strictObject({
    email: z.string().min(1).max(254),
    password: z.string().min(1).max(1_024),
  })
  .meta({ id: "Credentials" });

export const signIn = openRoute({
  service: identityServices.signIn,
  operationId: "signIn",
  method: "POST",
  path: "/api/admin/session",
  tag: TAG,
  summary: "Sign in",
  description:
    "Begins a session, which the cookie `__Host-muster` stands for. With `factor: required` in the answer it is completed by a code within ten minutes, and admits nothing else before. An unknown address, a wrong password and a deactivated user get the same answer after the same time.",
  body: credentials,
  status: 200,
  response: sessionRecord,
  errors: ["invalid_credentials", "sign_in_throttled"],
  examples: {
    body: { email: "ada@acme.example", password: "correct horse battery staple" },
    response: SESSION_EXAMPLE,
  },
  handler: async (visitor, { body }, signIn) => {
    const { operationsOf: _, ...visit } = visitor;
    return withSessionOf(await signIn({ ...body, ...visit }), visitor);
  },
});

export const giveFactor = accountRoute({
  service: identityServices.giveFactor,
  operationId: "giveFactor",
  method: "POST",
  path: "/api/admin/session/factor",
  tag: TAG,
  summary: "Complete the sign-in with your second factor",
  description:
    "With a code of the authenticator app, or a recovery code; each is accepted once. The session gets another cookie.",
  body: z.strictObject({ code }).meta({ id: "SignInCode" }),
  status: 200,
  response: sessionRecord,
  evenWithout: ["code"],
  errors: ["invalid_credentials", "sign_in_throttled"],
  examples: { body: { code: "081804" }, response: { ...SESSION_EXAMPLE, factor: "given" } },
  handler: async (holder, { body }, giveFactor) => {
    const { session, operationsOf: _, ...visit } = holder;
    return withSessionOf(await giveFactor(session, { ...body, ...visit }), holder);
  },
});

export const getSession = accountRoute({
  service: identityServices.useSession,
  operationId: "getSession",
  method: "GET",
  path: "/api/admin/session",
  tag: TAG,
  summary: "Show the session",
  description: "Who is signed in, and the operations that this user may call.",
  status: 200,
  response: sessionRecord,
  evenWithout: MISSING,
  errors: [],
  examples: { response: SESSION_EXAMPLE },
  handler: async (holder) => toRecord(holder.session, holder),
});

export const signOut = accountRoute({
  service: identityServices.signOut,
  operationId: "signOut",
  method: "DELETE",
  path: "/api/admin/session",
  tag: TAG,
  summary: "Sign out",
  description: "Ends the session at once, in every process.",
  status: 204,
  evenWithout: MISSING,
  errors: [],
  examples: {},
  handler: async ({ session }, _input, signOut) => {
    await signOut(session.id);
    return ended();
  },
});

export const stepUp = accountRoute({
  service: identityServices.stepUp,
  operationId: "stepUp",
  method: "POST",
  path: "/api/admin/session/step-up",
  tag: TAG,
  summary: "Confirm who you are",
  description: "Admits dangerous operations for ten minutes. The session gets a new cookie.",
  body: z
    .strictObject({
      password: z.string().min(1).max(1_024),
      code: code.optional().meta({ description: "For users who have a second factor" }),
    })
    .meta({ id: "StepUp" }),
  status: 204,
  evenWithout: ["factor"],
  errors: ["factor_required", "invalid_credentials", "sign_in_throttled"],
  examples: { body: { password: "correct horse battery staple", code: "081804" } },
  handler: async ({ session, address }, { body }, stepUp) =>
    withSession(undefined, await stepUp(session, { ...body, address })),
});
