import { z } from "zod";
import { records } from "../../lib/limits/records.ts";
import { ASKED_FINDING_KINDS, FINDING_KINDS, overviewUseCases } from "../../overview/overview.ts";
import { adminRoute } from "../route.ts";
import { id, idParams, instant, page, paging, timestamp } from "../shapes.ts";

const TAG = "Devices";
const MOST = records.entriesOfTimeline.value;

const finding = z
  .strictObject({
    kind: z.enum(FINDING_KINDS),
    deviceId: id,
    deviceName: z.string(),
    certificateId: id.nullable(),
    metrics: z.array(z.string()).meta({ description: "The affected metrics" }),
    at: timestamp,
    cause: z.string(),
    cure: z.string(),
  })
  .meta({ id: "Finding" });

const entry = z
  .strictObject({
    at: timestamp,
    kind: z.enum([
      "device.online",
      "device.offline",
      "certificate.issued",
      "certificate.revoked",
      "anomaly.opened",
      "anomaly.resolved",
      "ticket.opened",
      "connection.refused",
      "finding.shared_key",
    ]),
    id: id.nullable().meta({ description: "The id of the certificate, anomaly, ticket or refusal" }),
    text: z.string().nullable().meta({ description: "Its serial number, message, title or reason" }),
    actor: z.string().nullable(),
  })
  .meta({ id: "TimelineEntry" });

export const listFindings = adminRoute({
  useCase: overviewUseCases.listFindings,
  operationId: "listFindings",
  method: "GET",
  path: "/api/admin/findings",
  tag: TAG,
  summary: "List findings",
  description:
    "Problems of devices that otherwise work, newest first. A finding ends with its cause. `server_root_missing` is listed only on request, `topics_changed` only for a single device.",
  query: z.strictObject({ deviceId: id.optional(), kind: z.enum(ASKED_FINDING_KINDS).optional(), ...paging(50, 200) }),
  status: 200,
  response: page(finding),
  errors: [],
  examples: {
    response: {
      items: [
        {
          kind: "publishes_nowhere",
          deviceId: "pump-1",
          deviceName: "Feed pump 1",
          certificateId: "0199c1d1-2222-7a11-9c22-5e6f7a8b9c0d",
          metrics: [],
          at: "2026-11-20T10:00:00.000Z",
          cause: "The device has a certificate that may publish on no topic.",
          cure: "Set the device type, then have the certificate renewed.",
        },
      ],
      total: 1,
      skip: 0,
      limit: 50,
    },
  },
  handler: (caller, { query }, listFindings) => listFindings(caller, query),
});

export const listTimeline = adminRoute({
  useCase: overviewUseCases.listTimeline,
  operationId: "listTimeline",
  method: "GET",
  path: "/api/admin/devices/{id}/timeline",
  tag: TAG,
  summary: "List a device's timeline",
  description:
    "Events of the device, newest first. Connects and disconnects are kept for 48 hours, the others as long as their records.",
  params: idParams,
  query: z.strictObject({
    before: instant.optional().meta({ description: "Continues before this time: the `at` of the last entry" }),
    limit: z
      .string()
      .regex(/^\d{1,9}$/, "must be an integer")
      .transform(Number)
      .optional()
      .meta({ type: "integer", description: `1 to ${MOST}, 50 by default` }),
  }),
  status: 200,
  response: z.strictObject({ items: z.array(entry) }).meta({ id: "Timeline" }),
  errors: ["not_found"],
  examples: {
    response: {
      items: [{ at: "2026-11-20T10:00:00.000Z", kind: "device.online", id: null, text: null, actor: null }],
    },
  },
  handler: async (caller, { params, query }, listTimeline) => ({ items: await listTimeline(caller, params.id, query) }),
});
