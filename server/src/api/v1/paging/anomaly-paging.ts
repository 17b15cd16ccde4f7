import { z } from "zod";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { publicRoute } from "../../route.ts";
import { idParams, instant, nullableTimestamp } from "../../shapes.ts";

const TAG = "Anomalies";

const body = z
  .strictObject({ until: instant.nullable().meta({ description: "The end; `null` ends it now" }) })
  .meta({ id: "SetAside" });

/** How long an anomaly is set aside. */
const aside = {
  snoozedUntil: nullableTimestamp.meta({ description: "The end of the anomaly's snooze; null if it has none" }),
  mutedUntil: nullableTimestamp.meta({ description: "Until when its rule does not page about its device" }),
};
const anomalyPaging = z.strictObject(aside).meta({ id: "AnomalyPaging" });
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
