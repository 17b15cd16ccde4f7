import { z } from "zod";
import { ANOMALY_ORDERS, anomalyUseCases } from "../../../anomalies/anomalies.ts";
import { records } from "../../../lib/limits/records.ts";
import { inApp } from "../../in-app.ts";
import { ANOMALY_STATUS, SEVERITY } from "../../named-shapes.ts";
import { adminRoute } from "../../route.ts";
import { id, instant, longPage, paging, sortBy } from "../../shapes.ts";
import * as specified from "../../v1/anomalies.ts";
import { oneOf } from "../shapes/list-shapes.ts";

const TAG = "Anomalies";

export const listAnomalies = adminRoute({
  useCase: anomalyUseCases.listAnomalies,
  operationId: "listAnomalies",
  csv: "anomalies",
  method: "GET",
  path: "/api/admin/anomalies",
  tag: TAG,
  summary: "List anomalies",
  description: "The anomalies of the devices that the user can see, newest first unless sorted.",
  query: z.strictObject({
    deviceId: id.optional(),
    groupId: id.optional().meta({ description: "Only devices that are in this group now" }),
    thresholdId: id.optional().meta({ description: "Only rules of this threshold pack" }),
    status: oneOf(ANOMALY_STATUS, "One of these statuses, separated by commas"),
    notStatus: oneOf(ANOMALY_STATUS, "None of these statuses, separated by commas"),
    severity: oneOf(SEVERITY, "One of these severities, separated by commas"),
    notSeverity: oneOf(SEVERITY, "None of these severities, separated by commas"),
    from: instant.optional().meta({ description: "Opened at this time or later" }),
    to: instant.optional().meta({ description: "Opened before this time" }),
    sort: sortBy(ANOMALY_ORDERS),
    ...paging(50, 200),
  }),
  status: 200,
  response: longPage(specified.anomalyRecord),
  errors: [],
  examples: { response: { items: [specified.ANOMALY_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listAnomalies) => {
    const { notStatus, notSeverity, ...wanted } = query;
    const not = { status: notStatus, severity: notSeverity };
    return listAnomalies(caller, { ...wanted, not, countAhead: records.countedAhead.value });
  },
});

export const getAnomaly = inApp(specified.getAnomaly, {
  description: "One anomaly of a device that the user can see.",
});

const outcome = z
  .strictObject({
    id: z.string(),
    outcome: z
      .enum(["acknowledged", "unchanged", "not_found"])
      .meta({ description: "`unchanged`: it was already acknowledged, and keeps that acknowledgement" }),
  })
  .meta({ id: "AcknowledgeOutcome" });

const count = z.int().min(0);

export const acknowledgeAnomalies = adminRoute({
  useCase: anomalyUseCases.acknowledgeAnomalies,
  operationId: "acknowledgeAnomalies",
  method: "POST",
  path: "/api/admin/anomalies/acknowledge",
  tag: TAG,
  summary: "Acknowledge anomalies",
  description:
    "Acknowledges one or many anomalies with the same comment, and stops their further pages. The first acknowledgement of each is kept. A resolved anomaly stays `resolved` and records who acknowledged it.",
  body: z
    .strictObject({
      ids: z.array(z.string().max(128)).min(1).max(records.anomaliesOfAcknowledgement.value),
      comment: specified.acknowledgeComment,
    })
    .meta({ id: "Acknowledgement" }),
  status: 200,
  response: z
    .strictObject({ acknowledged: count, unchanged: count, notFound: count, items: z.array(outcome) })
    .meta({ id: "AcknowledgeOutcomes", description: "One per anomaly, in the order of `ids`" }),
  errors: [],
  examples: {
    body: { ids: [specified.ANOMALY_EXAMPLE.id], comment: "Looking after it on Monday" },
    response: {
      acknowledged: 1,
      unchanged: 0,
      notFound: 0,
      items: [{ id: specified.ANOMALY_EXAMPLE.id, outcome: "acknowledged" }],
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
