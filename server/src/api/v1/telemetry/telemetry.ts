import { z } from "zod";
import { records } from "../../../lib/limits/records.ts";
import { telemetryUseCases } from "../../../telemetry/telemetry.ts";
import { METRIC_VALUE } from "../../named-shapes.ts";
import { publicRoute } from "../../route.ts";
import { id, idParams, instant, timestamp } from "../../shapes.ts";

const TAG = "Telemetry";
/** The number of characters of a rejected payload that are shown. */
const SHOWN_CHARACTERS = 4_096;

const times = {
  at: timestamp.meta({ description: "When it was measured" }),
  receivedAt: timestamp,
  timeReplaced: z
    .boolean()
    .meta({ description: "Whether the device's time was implausible, so that `at` is the server's" }),
};

const latestValue = z.strictObject({ metric: z.string(), value: METRIC_VALUE, ...times }).meta({ id: "LatestValue" });
const reading = z.strictObject({ value: METRIC_VALUE, ...times }).meta({ id: "Reading" });
export const fieldProblem = z
  .strictObject({
    path: z.string().meta({
      description: "A JSON Pointer (RFC 6901) into the payload, a byte of a binary one, or a metric",
    }),
    reason: z.string(),
  })
  .meta({ id: "FieldProblem" });
const rejectedMessage = z
  .strictObject({
    id,
    at: timestamp,
    topic: z.string(),
    reason: z.string(),
    payload: z.string().meta({ description: `The payload as text, at most ${SHOWN_CHARACTERS} characters` }),
    payloadBytes: z.int().meta({ description: "The size of the whole payload" }),
    storedValues: z.int().meta({ description: "The number of its values that are stored; 0 if nothing is" }),
    problems: z
      .array(fieldProblem)
      .meta({ description: "The first fields that are not stored; empty if the whole message is at fault" }),
    problemCount: z.int().meta({ description: "The number of all fields that are not stored" }),
  })
  .meta({ id: "RejectedMessage" });

export const latestList = z.strictObject({ items: z.array(latestValue) }).meta({ id: "LatestValueList" });
export const rejectedList = z.strictObject({ items: z.array(rejectedMessage) }).meta({ id: "RejectedMessageList" });
export const series = z
  .strictObject({
    bucketSeconds: z.int(),
    points: z.array(
      z
        .strictObject({ at: timestamp, min: z.number(), avg: z.number(), max: z.number(), count: z.int() })
        .meta({ id: "SeriesPoint" }),
    ),
  })
  .meta({ id: "Series" });
export const readingPage = z
  .strictObject({
    items: z.array(reading),
    next: z.string().optional().meta({ description: "The cursor of the next page; absent at the end" }),
  })
  .meta({ id: "ReadingPage" });

const range = {
  metric: z.string().min(1).max(256),
  from: instant,
  to: instant.meta({ description: "Exclusive" }),
};

/** An integer in a query; its limits are checked by the use case. */
const whole = z
  .string()
  .regex(/^\d{1,9}$/, "must be an integer")
  .transform(Number)
  .optional()
  .meta({ type: "integer" });

export const seriesQuery = z.strictObject({
  ...range,
  buckets: whole.meta({
    type: "integer",
    description: `The approximate number of buckets, 1 to ${records.bucketsOfChart.value}`,
  }),
  bucketSeconds: whole.meta({
    type: "integer",
    description: "The exact length of a bucket in seconds, instead of `buckets`",
  }),
});

export const readingQuery = z.strictObject({
  ...range,
  limit: whole.meta({ type: "integer", description: `1 to ${records.readingsOfPage.value}, 100 by default` }),
  cursor: z.string().max(32).optional().meta({ description: "The `next` of the previous page" }),
});

export const RANGE_EXAMPLE = {
  metric: "temperature",
  from: "2026-11-20T10:00:00.000Z",
  to: "2026-11-20T11:00:00.000Z",
};
const READING_EXAMPLE = {
  value: 21.5,
  at: "2026-11-20T10:00:00.000Z",
  receivedAt: "2026-11-20T10:00:00.120Z",
  timeReplaced: false,
};
export const LATEST_EXAMPLE = { items: [{ metric: "temperature", ...READING_EXAMPLE }] };
export const SERIES_EXAMPLE = {
  bucketSeconds: 60,
  points: [{ at: "2026-11-20T10:00:00.000Z", min: 21.1, avg: 21.4, max: 21.9, count: 60 }],
};
export const READINGS_EXAMPLE = { items: [READING_EXAMPLE] };
export const REJECTED_EXAMPLE = {
  items: [
    {
      id: "0199c1c9-1111-7a11-9c22-5e6f7a8b9c0d",
      at: "2026-11-20T10:00:00.000Z",
      topic: "t/acme/telemetry/pump-1",
      reason: '"humidity" is null; a value is a number, true, false or a string',
      payload: '{"temperature":21.5,"humidity":null}',
      payloadBytes: 36,
      storedValues: 1,
      problems: [{ path: "/humidity", reason: '"humidity" is null; a value is a number, true, false or a string' }],
      problemCount: 1,
    },
  ],
};

/** Returns the shown part of a rejected message. */
export function showRejected<Row extends { payload: Buffer }>(row: Row): Omit<Row, "payload"> & { payload: string } {
  return { ...row, payload: row.payload.toString("utf8").slice(0, SHOWN_CHARACTERS).toWellFormed() };
}

export const listLatest = publicRoute({
  useCase: telemetryUseCases.listLatest,
  operationId: "listLatest",
  method: "GET",
  path: "/api/v1/devices/{id}/latest",
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

export const readSeries = publicRoute({
  useCase: telemetryUseCases.readSeries,
  operationId: "readSeries",
  method: "GET",
  path: "/api/v1/devices/{id}/series",
  tag: TAG,
  summary: "Read a metric in buckets",
  description:
    "The numbers of one metric in [from, to), in buckets of equal length: minimum, mean, maximum, count. Only buckets that contain numbers are listed. Months and years are answered as fast as an hour.",
  params: idParams,
  query: seriesQuery,
  status: 200,
  response: series,
  errors: ["not_found"],
  examples: { query: RANGE_EXAMPLE, response: SERIES_EXAMPLE },
  handler: (caller, { params, query: { metric, ...series } }, readSeries) =>
    readSeries(caller, params.id, metric, series),
});

export const listReadings = publicRoute({
  useCase: telemetryUseCases.listReadings,
  operationId: "listReadings",
  method: "GET",
  path: "/api/v1/devices/{id}/readings",
  tag: TAG,
  summary: "List the readings of a metric",
  description:
    "The readings of one metric in [from, to) as stored, newest first. To get the next page, send `next` as `cursor` with the same query.",
  params: idParams,
  query: readingQuery,
  status: 200,
  response: readingPage,
  errors: ["not_found"],
  examples: { query: RANGE_EXAMPLE, response: READINGS_EXAMPLE },
  handler: (caller, { params, query: { metric, ...page } }, listReadings) =>
    listReadings(caller, params.id, metric, page),
});

export const listRejected = publicRoute({
  useCase: telemetryUseCases.listRejected,
  operationId: "listRejected",
  method: "GET",
  path: "/api/v1/devices/{id}/rejected",
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
