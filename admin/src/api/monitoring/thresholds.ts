import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, must, type Schemas } from "../client.ts";
import { filled, keyOf } from "../queries.ts";
import { ifMatch, mustVersioned } from "../versioned.ts";

export const THRESHOLDS = "/api/admin/thresholds";

export type Threshold = Schemas["Threshold"];
export type ThresholdDetail = Schemas["ThresholdDetail"];
export type ThresholdRule = Schemas["ThresholdRule"];
export type ChangedRule = Schemas["ChangedThresholdRule"];
export type DryRun = Schemas["DryRun"];

const PAGE = 50;
/** Enough for a list of choices. */
const MOST = 200;

export const thresholdsQuery = (q: string | undefined, skip: number) =>
  queryOptions({
    queryKey: keyOf(THRESHOLDS, "list", q, skip),
    queryFn: ({ signal }) => must(api.GET(THRESHOLDS, { params: { query: filled({ q, skip, limit: PAGE }) }, signal })),
    placeholderData: keepPreviousData,
  });

/** What can watch a device. */
export const thresholdChoicesQuery = queryOptions({
  queryKey: keyOf(THRESHOLDS, "choices"),
  queryFn: ({ signal }) => must(api.GET(THRESHOLDS, { params: { query: { limit: MOST } }, signal })),
});

export const thresholdQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(`${THRESHOLDS}/${id}`),
    queryFn: () => mustVersioned(api.GET(`${THRESHOLDS}/{id}`, { params: { path: { id } } })),
  });

/** Those whose rules are evaluated on the device. */
export const watchingThresholdsQuery = (deviceId: string) =>
  queryOptions({
    queryKey: keyOf(THRESHOLDS, "watching", deviceId),
    queryFn: ({ signal }) =>
      must(api.GET("/api/admin/devices/{id}/thresholds", { params: { path: { id: deviceId } }, signal })),
  });

export function createThreshold(body: Schemas["NewThreshold"]) {
  return must(api.POST(THRESHOLDS, { body }));
}

export function updateThreshold(id: string, etag: string | undefined, body: Schemas["ThresholdEdit"]) {
  return must(api.PATCH(`${THRESHOLDS}/{id}`, { params: { path: { id } }, body, ...ifMatch(etag) }));
}

export function deleteThreshold(id: string) {
  return must(api.DELETE(`${THRESHOLDS}/{id}`, { params: { path: { id } } }));
}

/** What rules would have found in the stored telemetry of a device, or of all devices of a type. */
export function dryRun(body: Schemas["DryRunRequest"]) {
  return must(api.POST(`${THRESHOLDS}/dry-run`, { body }));
}
