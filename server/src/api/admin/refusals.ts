import { z } from "zod";
import { connectionUseCases, SYMPTOM_CODES } from "../../connections/connections.ts";
import { adminRoute } from "../route.ts";
import { page } from "../shapes.ts";
import { REFUSAL_EXAMPLE, refusal, refusalQuery } from "../v1/refusals.ts";

const TAG = "Refusals";

const symptom = z
  .strictObject({
    code: z.enum(SYMPTOM_CODES),
    symptom: z.string().meta({ description: "What a person observes at the device" }),
    cause: z.string(),
    cure: z.string(),
    reasons: z.array(z.string()).meta({ description: "The corresponding refusal reasons in the journal" }),
  })
  .meta({ id: "Symptom" });

export const listRefusals = adminRoute({
  useCase: connectionUseCases.listRefusals,
  operationId: "listRefusals",
  csv: "refusals",
  method: "GET",
  path: "/api/admin/refusals",
  tag: TAG,
  summary: "List refused clients",
  description:
    "Clients that the broker refused, newest first, each with its cause and its cure. Users who are not admins see the refusals of the devices visible to them.",
  query: refusalQuery.extend({ notReason: z.string().max(64).optional() }),
  status: 200,
  response: page(refusal),
  errors: [],
  examples: {
    response: {
      items: [REFUSAL_EXAMPLE],
      total: 1,
      skip: 0,
      limit: 50,
    },
  },
  handler: (caller, { query }, listRefusals) => listRefusals(caller, query),
});

export const listSymptoms = adminRoute({
  useCase: connectionUseCases.listSymptoms,
  operationId: "listSymptoms",
  method: "GET",
  path: "/api/admin/refusals/symptoms",
  tag: TAG,
  summary: "List what keeps devices from connecting",
  description: "Symptoms of devices that do not connect or publish, each with its cause and its cure.",
  status: 200,
  response: z.strictObject({ items: z.array(symptom) }).meta({ id: "SymptomList" }),
  errors: [],
  examples: {
    response: {
      items: [
        {
          code: "no_longer_connects",
          symptom: "The device was connected, and later cannot connect although nothing was revoked",
          cause: "The certificate has expired: the device did not renew it in time.",
          cure: "Issue a bundle for the device.",
          reasons: ["expired"],
        },
      ],
    },
  },
  handler: async (caller, _input, listSymptoms) => ({ items: await listSymptoms(caller) }),
});
