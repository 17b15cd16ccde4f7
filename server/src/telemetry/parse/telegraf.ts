import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { kindOf, type MetricValue, nameProblem, type Reading, readingAt, valueProblem } from "../reading.ts";
import { appendValue, readingNow } from "./append-value.ts";
import type { Into } from "./problems.ts";
import { invalid, type ReadingChecks, type Rejection, tooManyReadings } from "./rejection.ts";

/** The tag that names the machine: the device itself. */
const OWN_TAG = "host";

/**
 * Reads Telegraf's JSON: one metric, or a batch of them in `metrics`. A field becomes the metric
 * `<name>.<tag values>.<field>`, so that series which differ only by their tags stay apart.
 *
 * @returns the problem of the whole message, or `undefined`
 */
export function readTelegraf(document: unknown, checks: ReadingChecks, into: Into): Rejection | undefined {
  const metrics = isObject(document) && Array.isArray(document.metrics) ? document.metrics : [document];
  if (metrics.length > checks.maxReadings) return tooManyReadings(metrics.length, checks);
  if (metrics.length === 0) return invalid("the batch is empty");
  for (const [index, metric] of metrics.entries()) {
    const place = metrics[0] === document ? [] : ["metrics", index];
    const problem = metricProblem(metric);
    if (problem !== undefined) into.problems.add(place, problem);
    const rejection = problem === undefined ? readMetric(metric as TelegrafMetric, place, checks, into) : undefined;
    if (rejection !== undefined) return rejection;
    if (into.problems.areTooMany) return into.problems.rejection();
  }
  return undefined;
}

interface TelegrafMetric {
  name: string;
  fields: JsonObject;
  tags?: JsonObject;
  timestamp?: number;
}

function metricProblem(metric: unknown): string | undefined {
  if (!isObject(metric)) return `a metric of Telegraf is ${kindOf(metric)}; an object is expected`;
  const { name, fields, tags, timestamp } = metric;
  if (typeof name !== "string") return `"name" is ${kindOf(name)}; a string is expected`;
  if (!isObject(fields)) return `"fields" is ${kindOf(fields)}; an object is expected`;
  if (tags !== undefined && !isObject(tags)) return `"tags" is ${kindOf(tags)}; an object is expected`;
  if (timestamp !== undefined && !Number.isFinite(timestamp)) return `"timestamp" is ${kindOf(timestamp)}`;
  return Object.keys(fields).length === 0 ? "there are no fields" : undefined;
}

function readMetric(
  { name, fields, tags = {}, timestamp }: TelegrafMetric,
  place: readonly (string | number)[],
  checks: ReadingChecks,
  { readings, problems }: Into,
): Rejection | undefined {
  const series = Object.keys(tags).filter((tag) => tag !== OWN_TAG);
  const prefix = [name, ...series.toSorted().map((tag) => String(tags[tag]))].join(".");
  const reading = timestamp === undefined ? readingNow() : telegrafTime(timestamp, checks.nowMs);
  for (const [field, value] of Object.entries(fields)) {
    const metric = `${prefix}.${field}`;
    const problem = nameProblem(metric) ?? valueProblem(metric, value);
    if (problem !== undefined) problems.add([...place, "fields", field], problem);
    const rejection =
      problem === undefined ? appendValue(readings, checks, reading, metric, value as MetricValue) : undefined;
    if (rejection !== undefined) return rejection;
    if (problems.areTooMany) return problems.rejection();
  }
  return undefined;
}

/** The units of `json_timestamp_units` in microseconds, each with the size of a number from which it is too large. */
const UNITS: readonly [below: number, micros: number][] = [
  [1e11, 1e6],
  [1e14, 1e3],
  [1e17, 1],
];
const NANOSECOND = 1e-3;

/** Returns an empty reading at a time in seconds, milliseconds, microseconds or nanoseconds, told apart by its size. */
function telegrafTime(timestamp: number, nowMs: number): Reading {
  const unit = UNITS.find(([below]) => timestamp < below)?.[1] ?? NANOSECOND;
  return readingAt(Math.round(timestamp * unit), nowMs);
}
