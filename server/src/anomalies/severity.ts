import type { MetricValue } from "../telemetry/telemetry.ts";

export const SEVERITIES = ["critical", "major", "minor", "warning"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The two ends of a range, low before high. */
export type Range = readonly [number, number];
/** The value that readings are compared with: a range for `outside`, a single value for every other operator. */
export type RuleValue = MetricValue | Range;
