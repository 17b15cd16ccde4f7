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

export const acknowledgeAnomalies = inApp(specified.acknowledgeAnomalies);
