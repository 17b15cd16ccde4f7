import { telemetryUseCases } from "../../telemetry/telemetry.ts";
import { adminRoute } from "../route.ts";
import { idParams } from "../shapes.ts";
import {
  LATEST_EXAMPLE,
  latestList,
  READINGS_EXAMPLE,
  REJECTED_EXAMPLE,
  readingPage,
  readingQuery,
  rejectedList,
  SERIES_EXAMPLE,
  series,
  seriesQuery,
  showRejected,
} from "../v1/telemetry.ts";

const TAG = "Devices";

export const listLatest = adminRoute({
  useCase: telemetryUseCases.listLatest,
  operationId: "listLatest",
  method: "GET",
  path: "/api/admin/devices/{id}/latest",
  tag: TAG,
  summary: "List a device's latest values",
  description: "The newest value of every metric, by metric.",
  params: idParams,
  status: 200,
  response: latestList,
  errors: ["not_found"],
  examples: { response: LATEST_EXAMPLE },
  handler: async (caller, { params }, listLatest) => ({ items: await listLatest(caller, params.id) }),
});

export const readSeries = adminRoute({
  useCase: telemetryUseCases.readSeries,
  operationId: "readSeries",
  method: "GET",
  path: "/api/admin/devices/{id}/series",
  tag: TAG,
  summary: "Read the points of a chart",
  description: "The numbers of one metric in [from, to), in buckets. Only buckets that contain numbers are listed.",
  params: idParams,
  query: seriesQuery,
  status: 200,
  response: series,
  errors: ["not_found"],
  examples: { response: SERIES_EXAMPLE },
  handler: (caller, { params, query: { metric, ...series } }, readSeries) =>
    readSeries(caller, params.id, metric, series),
});

export const listReadings = adminRoute({
  useCase: telemetryUseCases.listReadings,
  operationId: "listReadings",
  method: "GET",
  path: "/api/admin/devices/{id}/readings",
  tag: TAG,
  summary: "List the readings of a metric",
  description: "The readings of one metric in [from, to), newest first.",
  params: idParams,
  query: readingQuery,
  status: 200,
  response: readingPage,
  errors: ["not_found"],
  examples: { response: READINGS_EXAMPLE },
  handler: (caller, { params, query: { metric, ...page } }, listReadings) =>
    listReadings(caller, params.id, metric, page),
});

export const listRejected = adminRoute({
  useCase: telemetryUseCases.listRejected,
  operationId: "listRejected",
  method: "GET",
  path: "/api/admin/devices/{id}/rejected",
  tag: TAG,
  summary: "List a device's rejected messages",
  description: "The last messages whose payload could not be stored, newest first, with the reasons.",
  params: idParams,
  status: 200,
  response: rejectedList,
  errors: ["not_found"],
  examples: { response: REJECTED_EXAMPLE },
  handler: async (caller, { params }, listRejected) => ({
    items: (await listRejected(caller, params.id)).map(showRejected),
  }),
});
