import { z } from "zod";
import { notificationUseCases, OUTAGE_KINDS } from "../../../notifications/notifications.ts";
import { publicRoute } from "../../route.ts";
import { id, idParams, instant, nullableTimestamp, page, strictPaging, timestamp } from "../../shapes.ts";

const TAG = "Anomalies";

const body = z
  .strictObject({ until: instant.nullable().meta({ description: "The end; `null` ends it now" }) })
  .meta({ id: "SetAside" });

/** The time for which an anomaly is set aside. */
const aside = {
  snoozedUntil: nullableTimestamp.meta({ description: "The end of the anomaly's snooze; null if it has none" }),
  mutedUntil: nullableTimestamp.meta({ description: "Until when its rule does not page about its device" }),
};
const anomalyPaging = z.strictObject(aside).meta({ id: "AnomalyPaging" });

const outageDevice = z
  .strictObject({
    deviceId: z.string(),
    deviceName: z.string(),
    anomalyId: id.meta({ description: "Its silence" }),
    openedAt: timestamp,
    resolvedAt: nullableTimestamp.meta({ description: "When it spoke again; null if it is still silent" }),
  })
  .meta({ id: "OutageDevice" });
const outage = z
  .strictObject({
    kind: z.enum(OUTAGE_KINDS).meta({ id: "OutageKind" }),
    value: z.string().meta({ description: "The address, block, node, claim, version, type or group in common" }),
    label: z.string().nullable().meta({ description: "The name of the type or group" }),
    since: timestamp,
    silent: z.int().meta({ description: "The silent devices when it was found" }),
    explained: z.int().meta({ description: "Those among them that have the value in common" }),
    sharing: z.int().meta({ description: "All devices that have it in common" }),
  })
  .meta({ id: "Outage" });
const EXAMPLE = { snoozedUntil: "2026-11-26T14:00:00.000Z", mutedUntil: null };

export const getAnomalyPaging = publicRoute({
  useCase: notificationUseCases.getAnomalyPaging,
  operationId: "getAnomalyPaging",
  method: "GET",
  path: "/api/v1/anomalies/{id}/paging",
  tag: TAG,
  summary: "Get how an anomaly is set aside",
  description: "Until when the anomaly is snoozed, and its rule muted on its device.",
  params: idParams,
  status: 200,
  response: anomalyPaging,
  errors: ["not_found"],
  examples: { response: EXAMPLE },
  handler: (caller, { params }, getAnomalyPaging) => getAnomalyPaging(caller, params.id),
});

export const getOutage = publicRoute({
  useCase: notificationUseCases.getOutage,
  operationId: "getOutage",
  method: "GET",
  path: "/api/v1/anomalies/{id}/outage",
  tag: TAG,
  summary: "Get the outage of an anomaly",
  description:
    "Devices that fall silent together for one cause are one outage, whose page stands for all. Returns what they have in common and the devices that the caller sees, the silent ones first; `outage` is null if the anomaly is of none.",
  params: idParams,
  query: z.strictObject(strictPaging(50, 200)),
  status: 200,
  response: page(outageDevice).extend({ outage: outage.nullable() }).meta({ id: "OutageOfAnomaly" }),
  errors: ["not_found"],
  examples: {
    response: {
      outage: {
        kind: "block" as const,
        value: "203.0.113.0/24",
        label: null,
        since: "2026-11-26T14:03:00.000Z",
        ...{ silent: 312, explained: 312, sharing: 318 },
      },
      items: [
        {
          deviceId: "pump-1",
          deviceName: "Pump 1",
          anomalyId: "0199c1c5-1a00-7e77-8899-aabbccddeeff",
          openedAt: "2026-11-26T14:03:00.000Z",
          resolvedAt: null,
        },
      ],
      ...{ total: 312, skip: 0, limit: 50 },
    },
  },
  handler: (caller, { params, query }, getOutage) => getOutage(caller, params.id, query),
});

export const snoozeAnomaly = publicRoute({
  useCase: notificationUseCases.snoozeAnomaly,
  operationId: "snoozeAnomaly",
  method: "POST",
  path: "/api/v1/anomalies/{id}/snooze",
  tag: TAG,
  summary: "Snooze an anomaly",
  description:
    "Holds back the pages of an open anomaly for at most 30 days. At the end it pages again, from its first step.",
  params: idParams,
  body,
  status: 200,
  response: anomalyPaging,
  errors: ["not_found"],
  examples: { body: { until: "2026-11-26T14:00:00Z" }, response: EXAMPLE },
  handler: (caller, { params, body: { until } }, snooze) => snooze(caller, params.id, until),
});

export const muteRule = publicRoute({
  useCase: notificationUseCases.muteRule,
  operationId: "muteRule",
  method: "POST",
  path: "/api/v1/anomalies/{id}/mute",
  tag: TAG,
  summary: "Mute a rule on a device",
  description:
    "The rule of the anomaly pages nobody about its device, for at most 366 days. Anomalies are recorded; what is open at the end pages then.",
  params: idParams,
  body,
  status: 200,
  response: anomalyPaging,
  errors: ["not_found"],
  examples: {
    body: { until: "2026-12-24T08:00:00Z" },
    response: { snoozedUntil: null, mutedUntil: "2026-12-24T08:00:00.000Z" },
  },
  handler: (caller, { params, body: { until } }, mute) => mute(caller, params.id, until),
});
