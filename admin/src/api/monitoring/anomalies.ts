import { api, must, type Schemas } from "../client.ts";
import { type QueryOf, read, readList } from "../read.ts";

export const ANOMALIES = "/api/admin/anomalies";
export type Anomaly = Schemas["Anomaly"];
export type AcknowledgeOutcomes = Schemas["AcknowledgeOutcomes"];
export type AnomalyQuery = QueryOf<typeof ANOMALIES>;

/** The number of open anomalies: the total of a page with one record. */
export const openAnomaliesQuery = readList(ANOMALIES, { status: "open", skip: 0, limit: 1 });
export const anomaliesQuery = (query: AnomalyQuery) => readList(ANOMALIES, query);
export const anomalyQuery = (id: string) => read(`${ANOMALIES}/{id}`, { path: { id } });
/** The escalation steps of an anomaly. */
export const pagesQuery = (id: string) => read(`${ANOMALIES}/{id}/pages`, { path: { id } });
export type OutageOfAnomaly = Schemas["OutageOfAnomaly"];
/** The outage of an anomaly and its devices; `outage` is null if it is of none. */
export const outageQuery = (id: string, skip: number) =>
  read(`${ANOMALIES}/{id}/outage`, { path: { id }, query: { skip, limit: 50 } });
/** Acknowledges anomalies with the same comment; the answer has an outcome for each. */
export const acknowledgeAnomalies = (ids: readonly string[], comment: string) =>
  must(api.POST(`${ANOMALIES}/acknowledge`, { body: { ids: [...ids], comment } }));
/** Until when an anomaly is snoozed and its rule muted on its device. */
export const anomalyPagingQuery = (id: string) => read(`${ANOMALIES}/{id}/paging`, { path: { id } });
export const snoozeAnomaly = (id: string, until: string | null) =>
  must(api.POST(`${ANOMALIES}/{id}/snooze`, { params: { path: { id } }, body: { until } }));
export const muteRule = (id: string, until: string | null) =>
  must(api.POST(`${ANOMALIES}/{id}/mute`, { params: { path: { id } }, body: { until } }));
