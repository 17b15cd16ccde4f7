import { z } from "zod";
import { records } from "../../../lib/limits/records.ts";
import { telemetryUseCases } from "../../../telemetry/telemetry.ts";
import { Download, FORMATS } from "../../export/download.ts";
import { METRIC_VALUE } from "../../named-shapes.ts";
import { publicRoute } from "../../route.ts";
import { cursor, id, instant, next, strictLimit, timestamp } from "../../shapes.ts";
import { list } from "../events.ts";
import { RANGE_EXAMPLE, SERIES_EXAMPLE, series, seriesQuery } from "./telemetry.ts";

const TAG = "Telemetry";
const MOST_NAMES = 200;

function names(what: string) {
  return list
    .pipe(z.array(z.string().min(1).max(256)).min(1).max(MOST_NAMES))
    .optional()
    .meta({ type: "string", description: `${what}, separated by commas` });
}

/** The devices and metrics of a query; a device must match every given list. */
const fleet = {
  deviceIds: names("Ids of devices; all devices by default"),
  groupIds: names("Ids of groups, whose devices are read"),
  deviceTypeIds: names("Ids of device types, whose devices are read"),
  metrics: names("Metrics; all metrics by default"),
};
const period = { from: instant, to: instant.meta({ description: "Exclusive" }) };

function nameList(what: string) {
  return z.array(z.string().min(1).max(256)).min(1).max(MOST_NAMES).optional().meta({ description: what });
}

const telemetryQuery = z
  .strictObject({
    deviceIds: nameList("Ids of devices; all devices by default"),
    groupIds: nameList("Ids of groups, whose devices are read"),
    deviceTypeIds: nameList("Ids of device types, whose devices are read"),
    metrics: nameList("Metrics; all metrics by default"),
    ...period,
    buckets: z
      .int()
      .min(1)
      .max(records.bucketsOfChart.value)
      .optional()
      .meta({ description: "The approximate number of buckets" }),
    bucketSeconds: z
      .int()
      .min(1)
      .optional()
      .meta({ description: "The exact length of a bucket in seconds, instead of `buckets`" }),
    limit: z.int().min(1).max(records.seriesOfPage.value).default(records.seriesOfPage.value),
    cursor: cursor.max(1_000).optional(),
  })
  .meta({ id: "TelemetryQueryCreate" });

const readingFields = {
  deviceId: id,
  metric: z.string(),
  value: METRIC_VALUE,
  at: timestamp.meta({ description: "When it was measured" }),
  receivedAt: timestamp,
  timeReplaced: z
    .boolean()
    .meta({ description: "Whether the device's time was implausible, so that `at` is the server's" }),
};
const fleetReading = z.strictObject(readingFields).meta({ id: "FleetReading" });
const fleetReadingPage = z.strictObject({ items: z.array(fleetReading), next }).meta({ id: "FleetReadingPage" });
const exportedReading = z
  .strictObject({
    ...readingFields,
    cursor: z.string().meta({ description: "Send it as `cursor` to continue after this reading" }),
  })
  .meta({ id: "ExportedReading" });
const fleetSeriesPage = z
  .strictObject({
    items: z.array(series.extend({ deviceId: id, metric: z.string() }).meta({ id: "FleetSeries" })),
    next,
  })
  .meta({ id: "FleetSeriesPage" });

const READING_EXAMPLE = {
  deviceId: "pump-1",
  metric: "temperature",
  value: 21.5,
  at: "2026-11-20T10:00:00.000Z",
  receivedAt: "2026-11-20T10:00:00.120Z",
  timeReplaced: false,
};
/** A query may name more devices, groups and metrics than fit into the headers of a request. */
const LONG_QUERY = ["headers_too_large"] as const;
const PERIOD_EXAMPLE = { from: RANGE_EXAMPLE.from, to: RANGE_EXAMPLE.to };

export const listFleetReadings = publicRoute({
  useCase: telemetryUseCases.listFleetReadings,
  operationId: "listFleetReadings",
  method: "GET",
  path: "/api/v1/readings",
  tag: TAG,
  summary: "List readings of many devices",
  description: `Readings in [from, to) as stored, by device id, metric and time. To get the next page, send \`next\` as \`cursor\` with the same query; the walk neither skips nor repeats a reading while others arrive. A page reads at most ${records.metricsOfPage.value} metrics, so it may be short or empty before the end.`,
  query: z.strictObject({
    ...fleet,
    ...period,
    limit: strictLimit(100, records.readingsOfPage.value),
    cursor: cursor.max(1_000).optional(),
  }),
  status: 200,
  response: fleetReadingPage,
  errors: LONG_QUERY,
  examples: { query: PERIOD_EXAMPLE, response: { items: [READING_EXAMPLE] } },
  handler: async (caller, { query }, listFleetReadings) => {
    const { items, next } = await listFleetReadings(caller, query);
    return { items: items.map(({ cursor: _, ...reading }) => reading), next };
  },
});

export const exportReadings = publicRoute({
  useCase: telemetryUseCases.listFleetReadings,
  operationId: "exportReadings",
  method: "GET",
  path: "/api/v1/readings/export",
  tag: TAG,
  summary: "Export readings of many devices",
  description:
    "All readings in [from, to) as one stream, by device id, metric and time: JSON lines, or CSV with a line of titles. Every line has its `cursor`: after an interruption, send that of the last whole line to continue. An export that cannot be completed, or takes longer than ten minutes, breaks off without the end of the chunked answer. A key has one export at a time.",
  query: z.strictObject({
    ...fleet,
    ...period,
    format: z.enum(FORMATS).default("ndjson").meta({ id: "ExportFormat" }),
    cursor: cursor.max(1_000).optional(),
  }),
  status: 200,
  response: exportedReading,
  mediaType: "application/x-ndjson",
  errors: LONG_QUERY,
  examples: { query: PERIOD_EXAMPLE, response: { ...READING_EXAMPLE, cursor: "WyJwdW1wLTEiLC…" } },
  handler: async (caller, { query: { format, cursor: place, ...query } }, listFleetReadings) =>
    new Download("readings", format, exportedReading, (after) =>
      listFleetReadings(caller, { ...query, cursor: after ?? place }),
    ),
});

export const listFleetSeries = publicRoute({
  useCase: telemetryUseCases.listFleetSeries,
  operationId: "listFleetSeries",
  method: "GET",
  path: "/api/v1/series",
  tag: TAG,
  summary: "Read metrics of many devices in buckets",
  description:
    "The numbers of many devices in [from, to), in buckets of equal length: one series per device and metric, in this order, as for one device. To get the next page, send `next` as `cursor` with the same query.",
  query: seriesQuery.omit({ metric: true }).extend({
    ...fleet,
    limit: strictLimit(records.seriesOfPage.value, records.seriesOfPage.value),
    cursor: cursor.max(1_000).optional(),
  }),
  status: 200,
  response: fleetSeriesPage,
  errors: LONG_QUERY,
  examples: {
    query: PERIOD_EXAMPLE,
    response: { items: [{ deviceId: "pump-1", metric: "temperature", ...SERIES_EXAMPLE }] },
  },
  handler: (caller, { query }, listFleetSeries) => listFleetSeries(caller, query),
});

export const queryTelemetry = publicRoute({
  useCase: telemetryUseCases.listFleetSeries,
  operationId: "queryTelemetry",
  method: "POST",
  path: "/api/v1/telemetry/query",
  tag: TAG,
  summary: "Query metrics of many devices",
  description:
    "Like `GET /api/v1/series`, with the query as a body, which has room for more names than an address. To get the next page, send `next` as `cursor` with the same query.",
  body: telemetryQuery,
  status: 200,
  response: fleetSeriesPage,
  safe: true,
  errors: [],
  examples: {
    body: { deviceIds: ["pump-1"], metrics: ["temperature"], ...PERIOD_EXAMPLE, buckets: 60 },
    response: { items: [{ deviceId: "pump-1", metric: "temperature", ...SERIES_EXAMPLE }] },
  },
  handler: (caller, { body }, listFleetSeries) => listFleetSeries(caller, body),
});
