import type { MetricValue } from "../telemetry/telemetry.ts";

export const SEVERITIES = ["critical", "major", "minor", "warning"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The two ends of a range, low before high. */
export type Range = readonly [number, number];
/** What a value is compared with: a range for `outside`, one value for every other operator. */
export type RuleValue = MetricValue | Range;
