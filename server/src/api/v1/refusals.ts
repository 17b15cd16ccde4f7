import { z } from "zod";
import { connectionUseCases } from "../../connections/connections.ts";
import { REFUSAL_REASON, REVOCATION_REASON } from "../named-shapes.ts";
import { publicRoute } from "../route.ts";
import { id, instant, page, paging, timestamp } from "../shapes.ts";

export const refusal = z
  .strictObject({
    id,
    at: timestamp,
    reason: REFUSAL_REASON,
    revocationReason: REVOCATION_REASON.optional(),
    occurrences: z
      .int()
      .min(1)
      .meta({ description: "The number of refusals of this address and reason that it represents" }),
    lastAt: timestamp,
    cause: z.string().meta({ description: "Why the client was refused" }),
    cure: z.string().meta({ description: "What to do about it" }),
    clientId: z.string().optional(),
    deviceId: z.string().optional(),
    serialNumber: z.string().optional(),
    fingerprintSha256: z.string().optional().meta({ description: "The fingerprint of the client's certificate" }),
    remoteAddress: z.string().optional(),
    tlsVersion: z.string().optional().meta({ description: "For `no_credentials`, for example `TLSv1.3`" }),
    topic: z.string().optional(),
  })
  .meta({ id: "Refusal" });

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

export const refusalQuery = z.strictObject({
  deviceId: id.optional(),
  fingerprintSha256: z.string().max(128).optional(),
  reason: z.string().max(64).optional(),
  from: instant.optional().meta({ description: "First refused at this time or later" }),
  to: instant.optional().meta({ description: "First refused before this time" }),
  ...paging(50, 200),
});

export const listRefusals = publicRoute({
  useCase: connectionUseCases.listRefusals,
  operationId: "listRefusals",
  method: "GET",
  path: "/api/v1/refusals",
  tag: "Refusals",
  summary: "List refused clients",
  description:
    "Devices and MQTT clients of the tenant that the broker refused, newest first, each with its cause and its cure. Repeated refusals are counted in one entry.",
  query: refusalQuery,
  status: 200,
  response: page(refusal),
  errors: [],
  examples: { response: { items: [REFUSAL_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listRefusals) => listRefusals(caller, query),
});
