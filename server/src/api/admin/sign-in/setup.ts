import { z } from "zod";
import { identityServices, PASSWORD_LENGTH } from "../../../identity/identity.ts";
import { openRoute } from "../../route.ts";
import { label } from "../../shapes.ts";
import { SESSION_EXAMPLE, sessionRecord, withSessionOf } from "./session.ts";

const TAG = "Session";
const { min, max } = PASSWORD_LENGTH;

/** A link's token as any text: one of another form gets the same answer as an expired one. */
export const linkToken = z.string().max(200).meta({ description: "The part of the link after `#`" });
/** A password, which the use case validates, so that the answer names the violated rule. */
export const password = z
  .string()
  .min(1)
  .max(1_024)
  .meta({ minLength: min, maxLength: max, description: `${min} to ${max} characters, not a common password` });
export const email = z.string().min(1).max(254);

export const getSetUp = openRoute({
  service: identityServices.setUpState,
  operationId: "getSetUp",
  method: "GET",
  path: "/api/admin/setup",
  tag: TAG,
  summary: "Show whether the service is set up",
  description: "`open` is true until there is a user.",
  status: 200,
  response: z
    .strictObject({
      open: z.boolean().meta({ description: "Whether a set-up link can be used" }),
      mail: z.boolean().meta({ description: "Whether links can be mailed: a mail server is configured" }),
      singleSignOn: z.boolean().meta({ description: "Whether the identity provider of a tenant is on" }),
    })
    .meta({ id: "SetUpState" }),
  errors: [],
  examples: { response: { open: true, mail: false, singleSignOn: false } },
  handler: (_visitor, _input, setUpState) => setUpState(),
});

export const setUp = openRoute({
  service: identityServices.setUp,
  operationId: "setUp",
  method: "POST",
  path: "/api/admin/setup",
  tag: TAG,
  summary: "Set up the service",
  description:
    "Takes the link that the service prints at its first start, or that of `muster setup-link`. Creates the first tenant and its first admin, who also runs the installation, and signs in. If there is a tenant already, its name and slug are optional.",
  body: z
    .strictObject({
      token: linkToken,
      tenantName: label().optional(),
      tenantSlug: z.string().min(1).max(40).optional().meta({ description: "Part of its topics; never changes" }),
      email,
      password,
    })
    .meta({ id: "SetUp" }),
  status: 201,
  response: sessionRecord,
  errors: ["link_expired", "already_exists"],
  examples: {
    body: {
      token: "4uQ0mCw8S1yJYb2kq0Yd7mZ0m3pR1sTfVxG9hLkNoPa",
      tenantName: "Acme Pumps",
      tenantSlug: "acme",
      email: "ada@acme.example",
      password: "correct horse battery staple",
    },
    response: SESSION_EXAMPLE,
  },
  handler: async (visitor, { body }, setUp) => {
    const { address, userAgent } = visitor;
    return withSessionOf(await setUp({ ...body, address, userAgent }), visitor);
  },
});
