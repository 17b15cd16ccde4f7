/**
 * A second, stateless evaluator of rules that searches all readings for spans. It shares no code with the real
 * evaluator, which property tests compare with it.
 */
import type { MetricValue } from "../../telemetry/reading.ts";
import type { Condition } from "../condition.ts";
import type { Rule } from "../rule.ts";

/** A reading of a message: its time (microseconds), metric and value. */
export interface SentReading {
  time: number;
  metric: string;
  value: MetricValue;
}

export interface ReferenceAnomaly {
  ruleId: string;
  openedAt: number;
  /** `null` while it is not resolved. */
  resolvedAt: number | null;
  /** The number of breaches, including the one that opened it. */
  occurrences: number;
  /** The value of the last breach. */
  value: MetricValue;
}

export type Evaluated = { time: number; value: MetricValue; side: "breach" | "band" | "good" };

/** Returns the anomalies of one device that sent `messages` in this order, by rule and then by time. */
export function referenceAnomalies(
  rules: readonly Rule[],
  messages: readonly (readonly SentReading[])[],
): ReferenceAnomaly[] {
  return rules.flatMap((rule) => {
    const readings = evaluatedReadings(rule, messages);
    return anomaliesOf(rule, readings).map(({ openedIndex, resolvedIndex, occurrences, value }) => ({
      ruleId: rule.id,
      openedAt: readings[openedIndex]!.time,
      resolvedAt: resolvedIndex === null ? null : readings[resolvedIndex]!.time,
      occurrences,
      value,
    }));
  });
}

/**
 * Returns the readings that count: sorted by time within a message, and newer than all previous ones of their metric.
 */
function evaluatedReadings(rule: Rule, messages: readonly (readonly SentReading[])[]): Evaluated[] {
  const inOrder = messages
    .flatMap((message) => message.filter(({ metric }) => metric === rule.metric).toSorted((a, b) => a.time - b.time))
    .filter(({ time }, index, all) => all.slice(0, index).every((earlier) => earlier.time < time));
  return inOrder.flatMap(({ time, value }) => {
    const side = sideOf(rule, value);
    return side === null ? [] : [{ time, value, side }];
  });
}

/** An anomaly by the places of the readings that opened and resolved it. */
export interface IndexedAnomaly {
  openedIndex: number;
  resolvedIndex: number | null;
  occurrences: number;
  value: MetricValue;
}

export function anomaliesOf(
  rule: Pick<Rule, "forSeconds" | "clearForSeconds">,
  readings: readonly Evaluated[],
): IndexedAnomaly[] {
  const found: IndexedAnomaly[] = [];
  let from = 0;
  for (;;) {
    const opened = endOfSpan(readings, from, "breach", rule.forSeconds);
    if (opened === null) return found;
    const resolved = endOfSpan(readings, opened + 1, "good", rule.clearForSeconds);
    const breaches = readings.slice(opened, resolved ?? readings.length).filter(({ side }) => side === "breach");
    found.push({
      openedIndex: opened,
      resolvedIndex: resolved,
      occurrences: breaches.length,
      value: breaches.at(-1)!.value,
    });
    if (resolved === null) return found;
    from = resolved + 1;
  }
}

/** Returns the first index, from `from` on, where only readings of `side` have lasted for `seconds`. */
function endOfSpan(
  readings: readonly Evaluated[],
  from: number,
  side: Evaluated["side"],
  seconds: number,
): number | null {
  for (let end = from; end < readings.length; end++) {
    for (let start = from; start <= end; start++) {
      const span = readings.slice(start, end + 1);
      const lasts = readings[end]!.time - readings[start]!.time >= seconds * 1e6;
      if (lasts && span.every((reading) => reading.side === side)) return end;
    }
  }
  return null;
}

export function sideOf({ operator, value, clearValue }: Condition, given: MetricValue): Evaluated["side"] | null {
  if (operator === "eq" || operator === "ne") {
    if (typeof given !== typeof value) return null;
    return (given === value) === (operator === "eq") ? "breach" : "good";
  }
  if (typeof given !== "number") return null;
  const worst = (limit: unknown): boolean => {
    if (operator === "outside") return !((limit as number[])[0]! <= given && given <= (limit as number[])[1]!);
    const distance = operator.startsWith("g") ? given - (limit as number) : (limit as number) - given;
    return operator.endsWith("e") ? distance >= 0 : distance > 0;
  };
  if (worst(value)) return "breach";
  return worst(clearValue) ? "band" : "good";
}
