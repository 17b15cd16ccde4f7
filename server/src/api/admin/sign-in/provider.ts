import { z } from "zod";
import { identityServices } from "../../../identity/identity.ts";
import { withFlow, withSession } from "../../pipeline/cookies.ts";
import { accountRoute, openRoute } from "../../route.ts";
import { id } from "../../shapes.ts";
import { assertion } from "./passkey-shapes.ts";
import { code, SESSION_EXAMPLE, sessionRecord, withSessionOf } from "./session.ts";

const TAG = "Session";

/** The longest query of an answer that is read. */
const MOST_QUERY = 8_192;

const named = z.strictObject({
  tenant: z.string().max(40).optional().meta({ description: "The slug of the tenant" }),
  email: z.string().max(254).optional().meta({ description: "Its domain leads to the tenant" }),
});
const NAMED = { email: "ada@acme.example" };

/** The address at a provider to which the browser goes. */
export const begunFlow = z
  .strictObject({ url: z.string().meta({ description: "The address at the provider" }) })
  .meta({ id: "ProviderRequest" });

export const FLOW_EXAMPLE = { url: "https://login.acme.example/authorize?client_id=muster&state=s4uQ0mCw8S1y" };

/** The answer of a provider, as the page of the app got it. */
export const providerAnswer = z
  .strictObject({
    tenantId: id.meta({ description: "The tenant whose page the provider opened" }),
    query: z.string().max(MOST_QUERY).meta({ description: "The query of the address to which the provider led" }),
  })
  .meta({ id: "ProviderAnswer" });

export const ANSWER_EXAMPLE = {
  tenantId: "0199c1c0-0000-7a11-8c22-5e6f7a8b9c0d",
  query: "code=4uQ0mCw8S1y&state=s4uQ0mCw8S1y&iss=https%3A%2F%2Flogin.acme.example",
};

export const showSignInMethods = openRoute({
  service: identityServices.signInMethods,
  operationId: "showSignInMethods",
  method: "POST",
  path: "/api/admin/sign-in/methods",
  tag: TAG,
  summary: "Show how a person can sign in",
  description:
    "The answer depends on the tenant or on the domain of the address, never on whether there is an account.",
  body: named.meta({ id: "SignInName" }),
  status: 200,
  response: z
    .strictObject({
      password: z.boolean().meta({ description: "Whether a password may suffice" }),
      provider: z
        .strictObject({ tenant: z.string(), name: z.string().meta({ description: "The name of the tenant" }) })
        .nullable()
        .meta({ description: "The identity provider of the tenant, if it is on" }),
    })
    .meta({ id: "SignInMethods" }),
  errors: [],
  examples: { body: NAMED, response: { password: true, provider: { tenant: "acme", name: "Acme Pumps" } } },
  handler: (_visitor, { body }, signInMethods) => signInMethods(body),
});

export const startProviderSignIn = openRoute({
  service: identityServices.startProviderSignIn,
  operationId: "startProviderSignIn",
  method: "POST",
  path: "/api/admin/sign-in/oidc/start",
  tag: TAG,
  summary: "Begin a sign-in at the identity provider",
  description:
    "Returns the address to which the browser goes (OpenID Connect, code flow with PKCE). A cookie binds the sign-in to this browser for ten minutes.",
  body: named.meta({ id: "ProviderSignIn" }),
  status: 200,
  response: begunFlow,
  errors: ["not_found", "provider_failed"],
  examples: { body: NAMED, response: FLOW_EXAMPLE },
  handler: async (_visitor, { body }, startProviderSignIn) => {
    const { url, flowCookie } = await startProviderSignIn(body);
    return withFlow({ url }, flowCookie);
  },
});

export const completeProviderSignIn = openRoute({
  service: identityServices.completeProviderSignIn,
  operationId: "completeProviderSignIn",
  method: "POST",
  path: "/api/admin/sign-in/oidc/callback",
  tag: TAG,
  summary: "Complete a sign-in at the identity provider",
  description:
    "Takes the answer that the provider sent to the app's page, once, in the browser that began the sign-in, and starts a session. A second factor that the user has here is still required.",
  body: providerAnswer,
  status: 200,
  response: sessionRecord,
  takesFlow: true,
  errors: ["sign_in_flow_expired", "provider_failed", "sign_in_refused", "quota_exceeded"],
  examples: { body: ANSWER_EXAMPLE, response: SESSION_EXAMPLE },
  handler: async (visitor, { body, flowCookie }, completeProviderSignIn) => {
    const { address, userAgent } = visitor;
    return withSessionOf(await completeProviderSignIn({ ...body, flowCookie, address, userAgent }), visitor);
  },
});

export const startProviderStepUp = accountRoute({
  service: identityServices.startProviderStepUp,
  operationId: "startProviderStepUp",
  method: "POST",
  path: "/api/admin/session/oidc/start",
  tag: TAG,
  summary: "Begin to confirm who you are at the identity provider",
  description:
    "The provider asks for your credentials again. A user with a second factor gives it here: a code or a passkey.",
  takesChallenge: true,
  body: z.strictObject({ code: code.optional(), passkey: assertion.optional() }).meta({ id: "ProviderStepUp" }),
  status: 200,
  response: begunFlow,
  evenWithout: ["factor"],
  errors: [
    "not_found",
    "factor_required",
    "challenge_expired",
    "invalid_credentials",
    "sign_in_throttled",
    "provider_failed",
  ],
  examples: { body: {}, response: FLOW_EXAMPLE },
  handler: async ({ session, address }, { body, challengeCookie }, startProviderStepUp) => {
    const { url, flowCookie } = await startProviderStepUp(session, { ...body, challengeCookie, address });
    return withFlow({ url }, flowCookie);
  },
});

export const completeProviderStepUp = accountRoute({
  service: identityServices.completeProviderStepUp,
  operationId: "completeProviderStepUp",
  method: "POST",
  path: "/api/admin/session/oidc/callback",
  tag: TAG,
  summary: "Confirm who you are at the identity provider",
  description:
    "Takes the provider's answer. Permits dangerous operations for ten minutes if the provider asked the same person again (`auth_time`). The session gets a new cookie.",
  body: providerAnswer,
  status: 204,
  takesFlow: true,
  evenWithout: ["factor"],
  errors: ["sign_in_flow_expired", "provider_failed", "sign_in_refused"],
  examples: { body: ANSWER_EXAMPLE },
  handler: async ({ session, address, userAgent }, { body, flowCookie }, completeProviderStepUp) =>
    withSession(undefined, await completeProviderStepUp(session, { ...body, flowCookie, address, userAgent })),
});
