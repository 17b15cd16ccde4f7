import { records } from "../lib/limits/records.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import type { Operator } from "./operator.ts";

export const RATE_UNITS = ["second", "minute", "hour"] as const;

/** The change of a number over `overSeconds`, to a tenth of that time. */
export interface ChangeMeasure {
  kind: "change";
  overSeconds: number;
  /** Whether the metric only counts up, so that a smaller number means that it began again from 0. */
  counter?: boolean | undefined;
}

/** The rate at which a number changes, on average over `overSeconds`. */
export interface RateMeasure {
  kind: "rate";
  overSeconds: number;
  per: (typeof RATE_UNITS)[number];
  counter?: boolean | undefined;
}

/** The seconds since the newest reading of the metric, at each time at which the device sends anything. */
export interface AgeMeasure {
  kind: "age";
}

/** The difference from the device's own average of the same hour of the day (UTC), of the last `days` days. */
export interface DeviationMeasure {
  kind: "deviation";
  days: number;
}

/** A number that is derived from the readings of a metric and compared in their place. */
export type Measure = ChangeMeasure | RateMeasure | AgeMeasure | DeviationMeasure;

const MOST_DAYS = records.daysOfDeviation.value;
const LEAST_SECONDS = 10;
const MOST_SECONDS = 86_400;

/** @throws MusterError invalid_request with the invalid field in `detail` */
export function checkMeasure(measure: Measure, operator: Operator, where: string): Measure {
  if (operator === "eq" || operator === "ne")
    throw invalidRequest(`${operator} compares readings, not a measure`, `${where}.measure`);
  if (measure.kind === "age") {
    if (operator === "gt" || operator === "gte") return { kind: "age" };
    throw invalidRequest("for age, the operator is gt or gte", `${where}.operator`);
  }
  if (measure.kind === "deviation") {
    checkWhole(measure.days, 1, MOST_DAYS, `${where}.measure.days`);
    return { kind: "deviation", days: measure.days };
  }
  const { kind, overSeconds, counter } = measure;
  checkWhole(overSeconds, LEAST_SECONDS, MOST_SECONDS, `${where}.measure.overSeconds`);
  const counted = counter ? { counter } : {};
  return kind === "rate" ? { kind, overSeconds, per: measure.per, ...counted } : { kind, overSeconds, ...counted };
}

function checkWhole(value: number, least: number, most: number, field: string): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw invalidRequest(`a whole number from ${least} to ${most}`, field);
}
