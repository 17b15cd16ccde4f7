import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import type { paths } from "../generated/admin.ts";
import { keyOf } from "../queries.ts";

const LIST = "/api/admin/anomalies";
export const ANOMALIES = LIST;

export type Anomaly = Schemas["Anomaly"];
export type AcknowledgeOutcomes = Schemas["AcknowledgeOutcomes"];
export type AnomalyQuery = NonNullable<paths["/api/admin/anomalies"]["get"]["parameters"]["query"]>;

export const anomaliesQuery = (query: AnomalyQuery) =>
  queryOptions({
    queryKey: keyOf(LIST, query),
    queryFn: ({ signal }) => must(api.GET(LIST, { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const anomalyQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(LIST, id),
    queryFn: ({ signal }) => must(api.GET("/api/admin/anomalies/{id}", { params: { path: { id } }, signal })),
  });

/** The steps of escalation for an anomaly. */
export const pagesQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(LIST, id, "pages"),
    queryFn: ({ signal }) => must(api.GET("/api/admin/anomalies/{id}/pages", { params: { path: { id } }, signal })),
  });

/** Acknowledges anomalies with the same comment; the answer says of each what became of it. */
export function acknowledgeAnomalies(ids: readonly string[], comment: string) {
  return must(api.POST("/api/admin/anomalies/acknowledge", { body: { ids: [...ids], comment } }));
}
