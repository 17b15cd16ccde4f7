import { z } from "zod";
import { connectionUseCases, REFUSAL_REASONS } from "../../connections/connections.ts";
import { adminRoute } from "../route.ts";
import { id, instant, page, paging, timestamp } from "../shapes.ts";

const TAG = "Refusals";

export const refusal = z
  .strictObject({
    id,
    at: timestamp,
    reason: z
      .string()
      .meta({ enum: Object.keys(REFUSAL_REASONS), description: "One of the refusal reasons of docs/operations.md" }),
    occurrences: z.int().min(1).meta({ description: "How many refusals of this address and reason it stands for" }),
    lastAt: timestamp,
    cause: z.string().meta({ description: "Why the client was refused" }),
    cure: z.string().meta({ description: "What to do about it" }),
    clientId: z.string().optional(),
    deviceId: z.string().optional(),
    serialNumber: z.string().optional(),
    fingerprintSha256: z.string().optional().meta({ description: "Of the certificate that the client presented" }),
    remoteAddress: z.string().optional(),
    topic: z.string().optional(),
  })
  .meta({ id: "Refusal" });

const symptom = z
  .strictObject({
    symptom: z.string().meta({ description: "What a person sees at the device" }),
    cause: z.string(),
    cure: z.string(),
    reasons: z.array(z.string()).meta({ description: "The refusal reasons under which the journal has it" }),
  })
  .meta({ id: "Symptom" });

export const REFUSAL_EXAMPLE = {
  id: "0199c1c9-0000-7a11-9c22-5e6f7a8b9c0d",
  at: "2026-11-20T10:00:00.000Z",
  reason: "no_chain",
  occurrences: 3,
  lastAt: "2026-11-20T10:01:00.000Z",
  cause: "The device sent its certificate without the intermediate that issued it. Closed without a CONNACK.",
  cure: "Give the client the certificate followed by its chain.",
  deviceId: "pump-1",
  remoteAddress: "203.0.113.7",
};

export const listRefusals = adminRoute({
  useCase: connectionUseCases.listRefusals,
  operationId: "listRefusals",
  csv: "refusals",
  method: "GET",
  path: "/api/admin/refusals",
  tag: TAG,
  summary: "List refused clients",
  description:
    "Clients that the broker refused, newest first, each with its cause and its cure. Users who are no admins see the refusals of the devices that they see.",
  query: z.strictObject({
    deviceId: id.optional(),
    fingerprintSha256: z.string().max(128).optional(),
    reason: z.string().max(64).optional(),
    notReason: z.string().max(64).optional(),
    from: instant.optional().meta({ description: "First refused at this time or later" }),
    to: instant.optional().meta({ description: "First refused before this time" }),
    ...paging(50, 200),
  }),
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
  description: "What a person sees at a device that does not connect or publish, with its cause and its cure.",
  status: 200,
  response: z.strictObject({ items: z.array(symptom) }).meta({ id: "SymptomList" }),
  errors: [],
  examples: {
    response: {
      items: [
        {
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
