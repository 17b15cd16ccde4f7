import { z } from "zod";
import { identityServices, type NewSession, type Session } from "../../identity/identity.ts";
import { ended, withSession } from "../pipeline/cookies.ts";
import { accountRoute, openRoute, type Visitor } from "../route.ts";
import { id } from "../shapes.ts";

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
    factor: z
      .enum(["none", "required"])
      .meta({ description: "`required`: the sign-in is completed with `POST /api/admin/session/factor`" }),
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
  const { user, tenant, passwordDue } = session;
  return { user, tenant, factor: "none" as const, passwordDue, operations: visitor.operationsOf(session) };
}

/** The answer that begins a session. */
export function withSessionOf(opened: NewSession & { browser?: string }, visitor: Visitor) {
  const { session, ...cookies } = opened;
  return withSession(toRecord(session, visitor), cookies);
}

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
    "Begins a session, which the cookie `__Host-muster` stands for. An unknown address, a wrong password and a deactivated user get the same answer after the same time.",
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
  evenIncomplete: true,
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
  evenIncomplete: true,
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
  body: z.strictObject({ password: z.string().min(1).max(1_024) }).meta({ id: "StepUp" }),
  status: 204,
  errors: ["invalid_credentials", "sign_in_throttled"],
  examples: { body: { password: "correct horse battery staple" } },
  handler: async ({ session }, { body }, stepUp) => withSession(undefined, await stepUp(session, body.password)),
});
