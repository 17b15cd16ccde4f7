import type { MetricValue } from "../telemetry/telemetry.ts";
import type { Judge, RuleState } from "./evaluate-rule.ts";
import type { Rule } from "./rule.ts";

/** A rule of a pack, ready to judge. `revision` is the pack's when it was read. */
export interface PackRule {
  thresholdId: string;
  revision: number;
  rule: Rule;
  judge: Judge;
}

/** A rule on one device. */
export interface WatchedRule extends PackRule {
  state: RuleState;
  /** What the batch under way did to it, if anything. */
  found: Found | undefined;
}

/** A metric of a device that rules watch. */
export interface WatchedMetric {
  /** The newest reading that was judged, microseconds since 1970; what is not newer is late or there twice. */
  newest: number;
  /** {@link newest} before the batch numbered {@link batch}, the last one that brought a newer reading. */
  follows: number;
  batch: number;
  rules: WatchedRule[];
}

/** What is remembered of a device between two messages: only of what watches it. */
export interface WatchedDevice {
  uid: string;
  /** There is an unresolved anomaly for its silence, which its next message ends. */
  silent: boolean;
  metrics: ReadonlyMap<string, WatchedMetric>;
}

/** A fault's breaches within one batch. */
export interface Fault {
  value: MetricValue | undefined;
  occurrences: number;
  /** It opened within the batch. */
  fresh: boolean;
}

/** What one batch did to one rule of one device. */
export interface Found {
  deviceUid: string;
  watched: WatchedRule;
  /** The state before the batch. */
  before: RuleState;
  /** The fault that is open now. */
  current: Fault | undefined;
  /** The fault that was open before the batch and has ended; its breaches of this batch. */
  ended: Fault | undefined;
  /** Faults that opened and ended within the batch, oldest first. */
  passed: Fault[];
}
