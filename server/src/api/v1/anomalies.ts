import { z } from "zod";
import { anomalyUseCases } from "../../anomalies/anomalies.ts";
import { records } from "../../lib/limits/records.ts";
import { ANOMALY_CAUSE, ANOMALY_STATUS, METRIC_VALUE, RULE_VALUE, SEVERITY } from "../named-shapes.ts";
import { publicRoute } from "../route.ts";
import { id, idParams, instant, nullableTimestamp, page, paging, timestamp } from "../shapes.ts";

const TAG = "Anomalies";

export const anomalyRecord = z
  .strictObject({
    id,
    deviceId: id,
    thresholdId: id.nullable().meta({ description: "The threshold pack; `null` without a rule" }),
    ruleId: id.nullable().meta({
      description: "The rule of that pack; `null` for a device that is silent or has not renewed its certificate",
    }),
    metric: z.string().nullable().meta({ description: "`null` without a rule" }),
    value: METRIC_VALUE.meta({ description: "As last observed; for a lost renewal, when the certificate expires" }),
    limit: RULE_VALUE.meta({
      description:
        "The `value` of the rule that was crossed; for a silent device, its permitted seconds; for a lost renewal, when a new certificate was due",
    }),
    severity: SEVERITY,
    status: ANOMALY_STATUS,
    message: z.string(),
    openedAt: timestamp,
    lastObservedAt: timestamp,
    occurrences: z.int().min(1).meta({ description: "The number of observations while unresolved" }),
    acknowledgedAt: nullableTimestamp,
    acknowledgedBy: z.string().nullable().meta({ description: "The actor of the first acknowledgement" }),
    comment: z.string().nullable().meta({
      description:
        "The comment of the acknowledgement; otherwise the reason why the service resolved an anomaly whose rule is no longer evaluated",
    }),
    resolvedAt: nullableTimestamp,
    resolvedBy: z.string().nullable(),
    ticketId: id.nullable().meta({ description: "The ticket that was opened from it" }),
  })
  .meta({ id: "Anomaly" });

export const ANOMALY_EXAMPLE = {
  id: "0199c1c7-3333-7a11-9c22-5e6f7a8b9c0d",
  deviceId: "pump-1",
  thresholdId: "0199c1c6-2222-7a11-9c22-5e6f7a8b9c0d",
  ruleId: "0199c1c6-2222-7a11-9c26-5e6f7a8b9c0d",
  metric: "temperature",
  value: 93.5,
  limit: 90,
  severity: "major",
  status: "open",
  message: "The bearing runs hot",
  openedAt: "2026-11-20T10:20:00.000Z",
  lastObservedAt: "2026-11-20T10:24:00.000Z",
  occurrences: 5,
  acknowledgedAt: null,
  acknowledgedBy: null,
  comment: null,
  resolvedAt: null,
  resolvedBy: null,
  ticketId: null,
};

export const listAnomalies = publicRoute({
  useCase: anomalyUseCases.listAnomalies,
  operationId: "listAnomalies",
  method: "GET",
  path: "/api/v1/anomalies",
  tag: TAG,
  summary: "List anomalies",
  description: "Violations of threshold rules by the tenant's devices, newest first.",
  query: z.strictObject({
    deviceId: id.optional(),
    groupId: id.optional().meta({ description: "Only devices that are in this group now" }),
    deviceTypeId: id.optional().meta({ description: "Only devices that have this type now" }),
    thresholdId: id.optional().meta({ description: "Only violations of this threshold pack" }),
    cause: ANOMALY_CAUSE.optional(),
    status: ANOMALY_STATUS.optional(),
    severity: SEVERITY.optional(),
    from: instant.optional().meta({ description: "Opened at this instant or later" }),
    to: instant.optional().meta({ description: "Opened before this instant" }),
    ...paging(50, 200),
  }),
  status: 200,
  response: page(anomalyRecord),
  errors: [],
  examples: { response: { items: [ANOMALY_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listAnomalies) => listAnomalies(caller, query),
});

export const getAnomaly = publicRoute({
  useCase: anomalyUseCases.getAnomaly,
  operationId: "getAnomaly",
  method: "GET",
  path: "/api/v1/anomalies/{id}",
  tag: TAG,
  summary: "Get an anomaly",
  description: "One anomaly of the tenant.",
  params: idParams,
  status: 200,
  response: anomalyRecord,
  errors: ["not_found"],
  examples: { response: ANOMALY_EXAMPLE },
  handler: (caller, { params }, getAnomaly) => getAnomaly(caller, params.id),
});

export const acknowledgeComment = z
  .string()
  .max(records.descriptionCharacters.value)
  .optional()
  .meta({ description: "Stored with the anomaly" });

export const acknowledgeAnomaly = publicRoute({
  useCase: anomalyUseCases.acknowledgeAnomaly,
  operationId: "acknowledgeAnomaly",
  method: "POST",
  path: "/api/v1/anomalies/{id}/acknowledge",
  tag: TAG,
  summary: "Acknowledge an anomaly",
  description:
    "Acknowledges an anomaly, with an optional comment; the body is optional. The first acknowledgement is kept: repeating it changes nothing. A resolved anomaly stays `resolved` and records who acknowledged it.",
  params: idParams,
  body: z
    .strictObject({
      comment: acknowledgeComment,
    })
    .meta({ id: "AcknowledgementCreate" })
    .optional(),
  status: 200,
  response: anomalyRecord,
  errors: ["not_found"],
  examples: {
    body: { comment: "Looking after it on Monday" },
    response: {
      ...ANOMALY_EXAMPLE,
      status: "acknowledged",
      acknowledgedAt: "2026-11-20T10:25:00.000Z",
      acknowledgedBy: "apikey:4fGh7Kp2",
      comment: "Looking after it on Monday",
    },
  },
  handler: (caller, { params, body }, acknowledgeAnomaly) => acknowledgeAnomaly(caller, params.id, body?.comment),
});

const outcome = z
  .strictObject({
    id: z.string(),
    outcome: z.enum(["acknowledged", "unchanged", "not_found"]).meta({
      id: "AcknowledgementResult",
      description: "`unchanged`: it was already acknowledged, and keeps that acknowledgement",
    }),
  })
  .meta({ id: "AcknowledgeOutcome" });

const count = z.int().min(0);

export const acknowledgeAnomalies = publicRoute({
  useCase: anomalyUseCases.acknowledgeAnomalies,
  operationId: "acknowledgeAnomalies",
  method: "POST",
  path: "/api/v1/anomalies/acknowledge",
  tag: TAG,
  summary: "Acknowledge anomalies",
  description:
    "Acknowledges one or many anomalies with the same comment, and stops their further pages. The first acknowledgement of each is kept. A resolved anomaly stays `resolved` and records who acknowledged it.",
  body: z
    .strictObject({
      ids: z.array(z.string().max(128)).min(1).max(records.anomaliesOfAcknowledgement.value),
      comment: acknowledgeComment,
    })
    .meta({ id: "Acknowledgement" }),
  status: 200,
  response: z
    .strictObject({ acknowledged: count, unchanged: count, notFound: count, items: z.array(outcome) })
    .meta({ id: "AcknowledgeOutcomes", description: "One per anomaly, in the order of `ids`" }),
  errors: [],
  examples: {
    body: { ids: [ANOMALY_EXAMPLE.id], comment: "Looking after it on Monday" },
    response: {
      acknowledged: 1,
      unchanged: 0,
      notFound: 0,
      items: [{ id: ANOMALY_EXAMPLE.id, outcome: "acknowledged" }],
    },
  },
  handler: async (caller, { body }, acknowledgeAnomalies) => {
    const ids = [...new Set(body.ids)];
    const outcomes = await acknowledgeAnomalies(caller, ids, body.comment);
    const items = ids.map((id, at) => ({ id, outcome: outcomes[at]! }));
    const ofKind = (kind: string) => items.filter(({ outcome }) => outcome === kind).length;
    const counts = { acknowledged: ofKind("acknowledged"), unchanged: ofKind("unchanged") };
    return { ...counts, notFound: ofKind("not_found"), items };
  },
});
