import type { MetricValue } from "../telemetry/telemetry.ts";
import type { CompiledRule, RuleState } from "./evaluate-rule.ts";
import type { Rule } from "./rule.ts";

/** A rule of a threshold pack, ready for evaluation. `revision` is the pack's at the time of reading. */
export interface PackRule {
  thresholdId: string;
  revision: number;
  rule: Rule;
  compiled: CompiledRule;
}

/** A rule on one device. */
export interface DeviceRule extends PackRule {
  state: RuleState;
  /** The effect of the current batch, if any. */
  transition: RuleTransition | undefined;
}

/** A metric of a device that has rules. */
export interface DeviceMetric {
  /** The time of the newest evaluated reading, in microseconds since 1970. Readings up to it are late or repeated. */
  newest: number;
  rules: DeviceRule[];
}

/** The cached rule state of a device. */
export interface DeviceRules {
  uid: string;
  /** The number of stored batches of the device at which this state was current. */
  version: number;
  /** Whether the device has an unresolved anomaly for its silence. Its next message resolves it. */
  silent: boolean;
  /** The metrics that have rules. */
  metrics: ReadonlyMap<string, DeviceMetric>;
}

/** The breaches of one anomaly within one batch. */
export interface Breaches {
  /** The value of the last breach; `undefined` if the batch has none. */
  value: MetricValue | undefined;
  occurrences: number;
  /** Whether the anomaly opened within the batch. */
  isNew: boolean;
}

/** The effect of one batch on one rule of one device. */
export interface RuleTransition {
  deviceUid: string;
  deviceRule: DeviceRule;
  /** The state before the batch. */
  before: RuleState;
  /** The anomaly open after the batch, whether opened or continued by it. */
  open: Breaches | undefined;
  /** The anomaly open before the batch that the batch resolved. */
  resolved: Breaches | undefined;
  /**
   * Anomalies that opened and were resolved within the batch, combined into one: `occurrences` counts the breaches of
   * all of them. With a single record for any number of alternations, a batch stores no more records than it has rules.
   */
  transient: Breaches | undefined;
}
