import { api, ifMatch, must, type Schemas } from "../client.ts";
import { read, readList, readVersioned } from "../read.ts";

export const THRESHOLDS = "/api/admin/thresholds";
export type Threshold = Schemas["Threshold"];
export type ThresholdDetail = Schemas["ThresholdDetail"];
export type ThresholdRule = Schemas["ThresholdRule"];
export type ChangedRule = Schemas["ChangedThresholdRule"];
export type DryRun = Schemas["DryRun"];
/** Enough for a list of choices. */
const MOST = 200;

export const thresholdsQuery = (q: string | undefined, skip: number) => readList(THRESHOLDS, { q, skip, limit: 50 });
/** The packs that can watch a device. */
export const thresholdChoicesQuery = read(THRESHOLDS, { query: { limit: MOST } });
export const thresholdQuery = (id: string) => readVersioned(`${THRESHOLDS}/{id}`, { path: { id } });
/** The packs whose rules are evaluated on the device. */
export const watchingThresholdsQuery = (id: string) => read("/api/admin/devices/{id}/thresholds", { path: { id } });

export const createThreshold = (body: Schemas["ThresholdCreate"]) => must(api.POST(THRESHOLDS, { body }));
export const updateThreshold = (id: string, etag: string | undefined, body: Schemas["ThresholdEdit"]) =>
  must(api.PATCH(`${THRESHOLDS}/{id}`, { params: { path: { id } }, body, ...ifMatch(etag) }));
export const deleteThreshold = (id: string) => must(api.DELETE(`${THRESHOLDS}/{id}`, { params: { path: { id } } }));
/** Evaluates rules over the stored telemetry of a device, or of all devices of a type. */
export const dryRun = (body: Schemas["DryRunRequest"]) => must(api.POST(`${THRESHOLDS}/dry-run`, { body }));
