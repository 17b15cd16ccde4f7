import fc from "fast-check";
import type { MetricValue } from "../../telemetry/reading.ts";
import { checkRule, type NewRule, type Rule } from "../rule.ts";
import type { SentReading } from "./reference-evaluator.ts";

/** A few metrics and values, so that most of them matter to a rule. */
const METRICS = ["a", "b"] as const;

const anyValue: fc.Arbitrary<MetricValue> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(0, 3, 6) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 6 }) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constantFrom("run", "stop") },
);

const seconds = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 6 }) },
);

const anyComparison: fc.Arbitrary<Pick<NewRule, "operator" | "value" | "clearValue">> = fc.oneof(
  fc.record({
    operator: fc.constantFrom("gt", "gte"),
    value: fc.integer({ min: 3, max: 5 }),
    clearValue: fc.constantFrom(null, 1, 2, 3),
  }),
  fc.record({
    operator: fc.constantFrom("lt", "lte"),
    value: fc.integer({ min: 1, max: 3 }),
    clearValue: fc.constantFrom(null, 3, 4, 5),
  }),
  fc.record({
    operator: fc.constant("outside" as const),
    value: fc.constant([1, 5] as const),
    clearValue: fc.constantFrom(null, [2, 4] as const, [1, 3] as const),
  }),
  fc.record({ operator: fc.constantFrom("eq", "ne"), value: fc.constantFrom<MetricValue>(3, true, "run") }),
);

/** Generates any rule on one of the metrics. */
export function anyRule(id: string): fc.Arbitrary<Rule> {
  return fc
    .record({
      metric: fc.constantFrom(...METRICS),
      forSeconds: seconds,
      clearForSeconds: seconds,
      compare: anyComparison,
    })
    .map(({ compare, ...rest }) => checkRule({ ...rest, ...compare, severity: "minor" }, id, "rule"));
}

/** A run of readings of one metric with one value, `apart` half-seconds apart. */
const anyRun = fc.record({
  metric: fc.constantFrom(...METRICS),
  value: anyValue,
  length: fc.integer({ min: 1, max: 6 }),
  apart: fc.integer({ min: 1, max: 5 }),
  inOneMessage: fc.boolean(),
});

/** Generates messages in time order, except for some that are late, repeated, unordered or contradictory. */
export const anyMessages: fc.Arbitrary<SentReading[][]> = fc
  .tuple(
    fc.array(anyRun, { maxLength: 20, size: "max" }),
    fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 6 }),
    fc.array(fc.tuple(fc.nat(), anyValue), { maxLength: 3 }),
  )
  .map(([runs, moves, contradictions]) => {
    const sent = messagesOf(runs);
    for (const [at, value] of contradictions) {
      const message = sent[at % sent.length];
      if (message) sent.push([{ ...message[0]!, value }]);
    }
    for (const [from, to] of moves) {
      if (sent.length > 0) sent.splice(to % (sent.length + 1), 0, sent[from % sent.length]!.toReversed());
    }
    return sent;
  });

function messagesOf(runs: readonly (typeof anyRun extends fc.Arbitrary<infer Run> ? Run : never)[]): SentReading[][] {
  let time = 0;
  return runs.flatMap(({ metric, value, length, apart, inOneMessage }) => {
    const readings = Array.from({ length }, (): SentReading => {
      time += apart * 500_000;
      return { time, metric, value };
    });
    return inOneMessage ? [readings] : readings.map((reading) => [reading]);
  });
}
