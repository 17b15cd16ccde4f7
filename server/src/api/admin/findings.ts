import { z } from "zod";
import { ASKED_FINDING_KINDS, FINDING_KINDS, overviewUseCases, TIMELINE_KINDS } from "../../overview/overview.ts";
import { adminRoute } from "../route.ts";
import { id, idParams, page, paging, timestamp } from "../shapes.ts";
import { TIMELINE, TIMELINE_EXAMPLE, timelineOf, timelineQuery } from "../v1/timelines.ts";

const TAG = "Devices";

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
  description: TIMELINE,
  params: idParams,
  query: timelineQuery,
  status: 200,
  response: timelineOf(z.enum(TIMELINE_KINDS)),
  errors: ["not_found"],
  examples: { response: TIMELINE_EXAMPLE },
  handler: async (caller, { params, query }, listTimeline) => ({ items: await listTimeline(caller, params.id, query) }),
});
