import type { RuleValue } from "../anomalies/anomalies.ts";
import type { MetricValue } from "../telemetry/telemetry.ts";
import type { Condition } from "./condition.ts";
import type { DerivedRule, DerivedState } from "./derived/derived-rule.ts";
import type { CompiledRule, RuleState } from "./evaluate-rule.ts";
import type { Rule } from "./rule.ts";

/** A rule of a threshold pack. `revision` is the pack's at the time of reading. */
export interface PackRule {
  thresholdId: string;
  revision: number;
  rule: Rule;
  /** The rule, ready for evaluation, if all devices share its limits. */
  ready: ReadyRule | undefined;
}

/** A rule with the limits of a device, ready for evaluation: plain, or with the memory of {@link DerivedRule}. */
export type ReadyRule = { rule: Rule<RuleValue> } & (
  | { compiled: CompiledRule; derived?: undefined }
  | { derived: DerivedRule; compiled?: undefined }
);

interface RuleOnDevice {
  thresholdId: string;
  revision: number;
  /** The rule with the limits of the device. */
  rule: Rule<RuleValue>;
  state: RuleState;
  /** The effect of the current batch, if any. */
  transition: RuleTransition | undefined;
}

/** A rule on one device that compares the readings of one metric. */
export interface DeviceRule extends RuleOnDevice {
  compiled: CompiledRule;
  progress?: undefined;
}

/** A rule on one device that remembers readings. */
export interface DerivedDeviceRule extends RuleOnDevice {
  derived: DerivedRule;
  progress: DerivedState;
}

/** A metric of a device that has rules. */
export interface DeviceMetric {
  /** The time of the newest evaluated reading, in microseconds since 1970. Readings up to it are late or repeated. */
  newest: number;
  /** The value of that reading, if a rule with a memory is on the device. */
  value: MetricValue | undefined;
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
  /** The rules with a memory; `undefined` for none. */
  derived: Derived | undefined;
}

/** The rules of a device that remember readings. */
export interface Derived {
  rules: readonly DerivedDeviceRule[];
  /** Whether a condition compares with an average. */
  hasAverage: boolean;
  /** The time of the newest reading of any metric, in microseconds since 1970, if a rule needs it. */
  newest: number;
  /** The averages that the batch needs, by condition (`averages.ts`). */
  averages: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** The breaches of one anomaly within one batch. */
export interface Breaches {
  /** The value of the last breach; `undefined` if the batch has none. */
  value: MetricValue | undefined;
  occurrences: number;
  /** The condition that was breached last, if the rule has a memory. */
  condition?: Condition<RuleValue> | undefined;
  /** Whether the anomaly opened within the batch. */
  isNew: boolean;
}

/** The effect of one batch on one rule of one device. */
export interface RuleTransition {
  deviceUid: string;
  deviceRule: DeviceRule | DerivedDeviceRule;
  /** The state before the batch. */
  before: RuleState;
  /** Whether the memory of a condition has changed. */
  remembers: boolean;
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
