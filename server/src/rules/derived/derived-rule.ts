import type { RuleValue } from "../../anomalies/anomalies.ts";
import type { MetricValue } from "../../telemetry/telemetry.ts";
import type { Condition } from "../condition.ts";
import { advance, type CompiledRule, compileRule, type Outcome, type RuleState, type Side } from "../evaluate-rule.ts";
import { conditionsOf, type Rule } from "../rule.ts";
import { type AverageOf, ageOf, type ConditionMemory, type Given, measured } from "./condition-memory.ts";

/** A rule whose conditions have memories, ready for evaluation: one with a measure, or with several conditions. */
export interface DerivedRule {
  conditions: readonly { condition: Condition<RuleValue>; sideOf: CompiledRule["sideOf"] }[];
  /** The operator that combines several conditions. */
  combine: "and" | "or";
  durations: Pick<CompiledRule, "forUs" | "clearForUs">;
  /** Whether each time at which the device sends anything counts. */
  hasAge: boolean;
  /** Whether a condition compares with an average. */
  hasAverage: boolean;
}

export function compileDerived(rule: Rule<RuleValue>): DerivedRule {
  const conditions = conditionsOf(rule).map((condition) => ({
    condition,
    sideOf: compileRule({ ...condition, forSeconds: 0, clearForSeconds: 0 }).sideOf,
  }));
  const { forUs, clearForUs } = compileRule(rule);
  return {
    conditions,
    combine: rule.or ? "or" : "and",
    durations: { forUs, clearForUs },
    hasAge: conditions.some(({ condition }) => condition.measure?.kind === "age"),
    hasAverage: conditions.some(({ condition }) => condition.measure?.kind === "deviation"),
  };
}

/** The progress of a derived rule on one device. */
export interface DerivedState {
  /** The memory of each condition. */
  memory: ConditionMemory[];
  /** The time of the last evaluation, in microseconds since 1970. It never decreases. */
  last: number;
}

/** The relevant values that a device sent at one time. */
export interface Sent {
  time: number;
  /** Whether the time is later than that of everything the device sent before. */
  isLatest: boolean;
  /** The readings by metric that are newer than all previous ones of their metric. */
  fresh: ReadonlyMap<string, Given>;
  /** Returns the time of the newest reading of a metric, these included. */
  newestOf(metric: string): number;
  averageOf(condition: Condition<RuleValue>): AverageOf;
}

/** The effect on a rule. The value, metric and limit are those of the condition that was breached last. */
export interface Evaluated {
  outcome: Outcome;
  value: MetricValue | undefined;
  condition: Condition<RuleValue>;
  /** Whether the memory of a condition has changed. */
  changed: boolean;
}

/**
 * Advances a rule by what a device sent at one time.
 *
 * @param phase changed in place
 * @param state changed in place
 * @returns `undefined` if the rule has nothing to do with it
 */
export function evaluateDerived(
  rule: DerivedRule,
  phase: RuleState,
  state: DerivedState,
  sent: Sent,
): Evaluated | undefined {
  const isTouched = rule.conditions.some(({ condition }) => sent.fresh.has(condition.metric));
  if (!isTouched && !(rule.hasAge && sent.isLatest)) return undefined;
  const at = Math.max(sent.time, state.last);
  state.last = at;
  let changed = false;
  let breached: { value: MetricValue; condition: Condition<RuleValue> } | undefined;
  const sides: Side[] = [];
  rule.conditions.forEach(({ condition, sideOf }, index) => {
    const memory = state.memory[index]!;
    const now = numberOf(condition, memory, at, sent);
    const side = now.value === undefined ? undefined : sideOf(now.value);
    if (side === "breach") breached ??= { value: now.value!, condition };
    changed ||= now.changed;
    if (rule.conditions.length > 1 && side !== undefined && side !== memory.side) {
      Object.assign(memory, { side, value: now.value });
      changed = true;
    }
    sides.push(rule.conditions.length > 1 ? memory.side : side);
  });
  const outcome = advance(rule.durations, phase, at, combined(rule.combine, sides));
  const shown = breached ?? remembered(rule, state);
  return { outcome, value: shown.value, condition: shown.condition, changed };
}

function numberOf(
  condition: Condition<RuleValue>,
  memory: ConditionMemory,
  at: number,
  sent: Sent,
): { value: MetricValue | undefined; changed: boolean } {
  const { metric, measure } = condition;
  if (measure?.kind === "age") return ageOf(memory, at, sent.newestOf(metric));
  const given = sent.fresh.get(metric);
  if (given === undefined) return { value: undefined, changed: false };
  return measured(measure, memory, sent.time, given, sent.averageOf(condition));
}

/** Returns a condition in breach since before, with its value when that began. */
function remembered({ conditions }: DerivedRule, { memory }: DerivedState): Pick<Evaluated, "value" | "condition"> {
  const index = Math.max(
    0,
    memory.findIndex(({ side }) => side === "breach"),
  );
  return { value: memory[index]!.value, condition: conditions[index]!.condition };
}

/**
 * Combines the sides of all conditions. With `and`, one good condition makes the result good; otherwise the result is
 * unknown while a side is unknown. With `or`, unknown sides are ignored.
 */
function combined(combine: "and" | "or", sides: readonly Side[]): Side {
  const known = sides.filter((side) => side !== undefined);
  if (combine === "or") {
    if (known.includes("breach")) return "breach";
    return known.includes("band") ? "band" : known[0];
  }
  if (known.includes("good")) return "good";
  if (known.length < sides.length) return undefined;
  return known.includes("band") ? "band" : "breach";
}
