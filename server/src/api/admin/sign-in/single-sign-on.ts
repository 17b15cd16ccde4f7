import { z } from "zod";
import { identityUseCases } from "../../../identity/identity.ts";
import { withFlow } from "../../pipeline/cookies.ts";
import { adminRoute } from "../../route.ts";
import { id, timestamp } from "../../shapes.ts";
import { ANSWER_EXAMPLE, begunFlow, FLOW_EXAMPLE, providerAnswer } from "./provider.ts";

const TAG = "Tenant";
const PATH = "/api/admin/single-sign-on";
const text = z.string().min(1).max(500);

const settings = z.strictObject({
  issuer: text.meta({ description: "The address that identifies the provider, https" }),
  clientId: text,
  scopes: z.array(z.string().min(1).max(100)).max(20),
  enabled: z.boolean(),
  firstSignIn: z.enum(["refused", "invited", "mapped"]).meta({
    description: "A person without an account is refused, needs an invitation, or gets an account by the mapping",
  }),
  rule: z.enum(["password", "required", "break_glass"]).meta({
    description:
      "Passwords are allowed, refused, or allowed for the admins in `breakGlass` with a second factor. It holds while the provider is on",
  }),
  breakGlass: z.array(id).max(20).meta({ description: "The ids of admins" }),
  mapping: z
    .strictObject({
      claim: text.meta({ description: "The name of the claim; dots lead into objects" }),
      rules: z
        .array(
          z.strictObject({
            value: text,
            role: z.enum(["admin", "operator", "viewer"]),
            groupIds: z.array(id).max(100),
          }),
        )
        .max(100),
    })
    .nullable()
    .meta({ description: "Role and groups by the values of a claim, applied at every sign-in" }),
});

const record = z
  .strictObject({
    provider: settings
      .extend({
        testedAt: timestamp
          .nullable()
          .meta({ description: "When a sign-in over this connection last succeeded as a test" }),
      })
      .nullable(),
    redirectUri: z.string().meta({ description: "The address to register at the provider" }),
    logoutUri: z.string().meta({
      description:
        "The address to register for back-channel logout: whoever signs out at the provider is signed out here",
    }),
  })
  .meta({ id: "SingleSignOn" });

const PROVIDER = {
  issuer: "https://login.acme.example",
  clientId: "muster",
  scopes: ["openid", "email", "groups"],
  enabled: false,
  firstSignIn: "invited",
  rule: "password",
  breakGlass: [],
  mapping: { claim: "groups", rules: [{ value: "plant-operators", role: "operator", groupIds: [] }] },
};
const EXAMPLE = {
  provider: { ...PROVIDER, testedAt: "2026-11-20T08:00:00.000Z" },
  redirectUri: "https://muster.acme.example/sign-in/provider/0199c1c0-0000-7a11-8c22-5e6f7a8b9c0d",
  logoutUri: "https://muster.acme.example/api/sign-in/oidc/logout/0199c1c0-0000-7a11-8c22-5e6f7a8b9c0d",
};

export const getSingleSignOn = adminRoute({
  useCase: identityUseCases.getSingleSignOn,
  operationId: "getSingleSignOn",
  method: "GET",
  path: PATH,
  tag: TAG,
  summary: "Show the identity provider",
  description: "The tenant's OpenID Connect provider, without its client secret.",
  status: 200,
  response: record,
  errors: [],
  examples: { response: EXAMPLE },
  handler: (caller, _input, getSingleSignOn) => getSingleSignOn(caller),
});

export const saveSingleSignOn = adminRoute({
  useCase: identityUseCases.saveSingleSignOn,
  operationId: "saveSingleSignOn",
  method: "PUT",
  path: PATH,
  tag: TAG,
  summary: "Set the identity provider",
  description:
    "Without `clientSecret` the present one stays, unless issuer or client changes. A changed connection must be tested before `enabled` is accepted. Once passwords are refused, sessions that began with one end, except this one.",
  body: settings.extend({ clientSecret: z.string().min(1).max(1_024).optional() }).meta({ id: "SingleSignOnEdit" }),
  status: 200,
  response: record,
  errors: ["provider_untested", "last_admin"],
  examples: { body: { ...PROVIDER, clientSecret: "a secret of the provider" }, response: EXAMPLE },
  handler: (caller, { body, matches }, saveSingleSignOn) => saveSingleSignOn(caller, body, matches),
});

export const removeSingleSignOn = adminRoute({
  useCase: identityUseCases.removeSingleSignOn,
  operationId: "removeSingleSignOn",
  method: "DELETE",
  path: PATH,
  tag: TAG,
  summary: "Remove the identity provider",
  description: "Users then sign in with a password; those without one need a link to choose it.",
  status: 204,
  errors: [],
  examples: {},
  handler: (caller, _input, removeSingleSignOn) => removeSingleSignOn(caller),
});

export const startProviderTest = adminRoute({
  useCase: identityUseCases.startProviderTest,
  operationId: "startProviderTest",
  method: "POST",
  path: `${PATH}/test`,
  tag: TAG,
  summary: "Begin a test of the identity provider",
  description: "Returns the address to which the browser goes, as for a sign-in.",
  safe: true,
  status: 200,
  response: begunFlow,
  errors: ["not_found", "provider_failed"],
  examples: { response: FLOW_EXAMPLE },
  handler: async (caller, _input, startProviderTest) => {
    const { url, flowCookie } = await startProviderTest(caller);
    return withFlow({ url }, flowCookie);
  },
});

export const completeProviderTest = adminRoute({
  useCase: identityUseCases.completeProviderTest,
  operationId: "completeProviderTest",
  method: "POST",
  path: `${PATH}/test/callback`,
  tag: TAG,
  summary: "Complete a test of the identity provider",
  description: "Takes the provider's answer and shows what it says about you. No session begins.",
  body: providerAnswer,
  takesFlow: true,
  status: 200,
  response: z
    .strictObject({
      subject: z.string(),
      email: z.string().nullable(),
      emailVerified: z
        .boolean()
        .nullable()
        .meta({ description: "Null if the provider does not say: then it opens no account that exists" }),
      values: z.array(z.string()).nullable().meta({ description: "The values of the mapped claim" }),
      role: z.string().nullable().meta({ description: "The role that the mapping gives" }),
    })
    .meta({ id: "ProviderTest" }),
  errors: ["sign_in_flow_expired", "provider_failed"],
  examples: {
    body: ANSWER_EXAMPLE,
    response: {
      subject: "248289761001",
      email: "ada@acme.example",
      emailVerified: true,
      values: ["plant-operators"],
      role: "operator",
    },
  },
  handler: (caller, { body, flowCookie }, completeProviderTest) =>
    completeProviderTest(caller, { ...body, flowCookie }),
});
