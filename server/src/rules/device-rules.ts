import type { MetricValue } from "../telemetry/telemetry.ts";
import type { CompiledRule, RuleState } from "./evaluate-rule.ts";
import type { Rule } from "./rule.ts";

/** A rule of a threshold pack, ready to be evaluated. `revision` is the pack's when it was read. */
export interface PackRule {
  thresholdId: string;
  revision: number;
  rule: Rule;
  compiled: CompiledRule;
}

/** A rule on one device. */
export interface DeviceRule extends PackRule {
  state: RuleState;
  /** What the current batch did to it, if anything. */
  transition: RuleTransition | undefined;
}

/** A metric of a device that has rules. */
export interface DeviceMetric {
  /** The newest reading that was evaluated, in microseconds since 1970. Older and equal ones are late or repeated. */
  newest: number;
  rules: DeviceRule[];
}

/** What is cached of a device between two messages. */
export interface DeviceRules {
  uid: string;
  /** How many batches of the device were stored when its state was what it is here. */
  version: number;
  /** There is an unresolved anomaly for its silence, which its next message resolves. */
  silent: boolean;
  /** Only the metrics that have rules. */
  metrics: ReadonlyMap<string, DeviceMetric>;
}

/** The breaches of one anomaly within one batch. */
export interface Breaches {
  /** Of the last one; `undefined` where the batch has none. */
  value: MetricValue | undefined;
  occurrences: number;
  /** The anomaly opened within the batch. */
  isNew: boolean;
}

/** What one batch did to one rule of one device. */
export interface RuleTransition {
  deviceUid: string;
  deviceRule: DeviceRule;
  /** The state before the batch. */
  before: RuleState;
  /** The anomaly that is open after the batch: opened by it or continued. */
  open: Breaches | undefined;
  /** The anomaly that was open before the batch and that the batch resolved. */
  resolved: Breaches | undefined;
  /**
   * What opened and was resolved within the batch, as one anomaly: `occurrences` counts the breaches of all openings. One record
   * however often values alternate, so that a batch stores no more records than it has rules.
   */
  transient: Breaches | undefined;
}
