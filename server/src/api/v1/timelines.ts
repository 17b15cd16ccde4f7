import { z } from "zod";
import { records } from "../../lib/limits/records.ts";
import { overviewUseCases, TIMELINE_KINDS } from "../../overview/overview.ts";
import { publicRoute } from "../route.ts";
import { id, idParams, instant, timestamp } from "../shapes.ts";

const MOST = records.entriesOfTimeline.value;

/** Returns the shape of a timeline. @param kind the shape of an entry's kind */
export function timelineOf(kind: z.ZodType<string>) {
  const entry = z
    .strictObject({
      at: timestamp,
      kind,
      id: id.nullable().meta({ description: "The id of the certificate, anomaly, ticket or refusal" }),
      text: z.string().nullable().meta({ description: "Its serial number, message, title or reason" }),
      actor: z.string().nullable(),
    })
    .meta({ id: "TimelineEntry" });
  return z.strictObject({ items: z.array(entry) }).meta({ id: "Timeline" });
}

export const timelineQuery = z.strictObject({
  before: instant.optional().meta({ description: "Continues before this time: the `at` of the last entry" }),
  limit: z
    .string()
    .regex(/^\d{1,9}$/, "must be an integer")
    .transform(Number)
    .optional()
    .meta({ type: "integer", description: `1 to ${MOST}, 50 by default` }),
});

export const TIMELINE =
  "Events of the device, newest first. Connects and disconnects are kept for 48 hours, the others as long as their records.";

export const TIMELINE_EXAMPLE = {
  items: [{ at: "2026-11-20T10:00:00.000Z", kind: "device.online", id: null, text: null, actor: null }],
};

export const listTimeline = publicRoute({
  useCase: overviewUseCases.listTimeline,
  operationId: "listTimeline",
  method: "GET",
  path: "/api/v1/devices/{id}/timeline",
  tag: "Devices",
  summary: "List a device's timeline",
  description: `${TIMELINE} Certificates and findings need the scope \`device-certificates:read\` as well, anomalies \`anomalies:read\`, tickets \`tickets:read\` and refusals \`refusals:read\`; without it they are left out.`,
  params: idParams,
  query: timelineQuery,
  status: 200,
  // Later versions add kinds.
  response: timelineOf(z.string().meta({ id: "TimelineKind", "x-extensible-enum": TIMELINE_KINDS })),
  errors: ["not_found"],
  examples: { response: TIMELINE_EXAMPLE },
  handler: async (caller, { params, query }, listTimeline) => ({ items: await listTimeline(caller, params.id, query) }),
});
