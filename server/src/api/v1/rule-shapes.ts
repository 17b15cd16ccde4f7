import { z } from "zod";
import { records } from "../../lib/limits/records.ts";
import { RATE_UNITS } from "../../rules/rules.ts";
import { OPERATOR, RULE_VALUE, SEVERITY } from "../named-shapes.ts";
import { id, plainName } from "../shapes.ts";

/** The shapes of rules, in answers and bodies. */

const VALUE =
  "A number, or an object that names each device's own; for `eq` and `ne` also true, false or a text of at most 1 KiB; for `outside` `[low, high]`, low below high";
const CLEAR_VALUE =
  "The value at which the fault ends, on the good side of `value`: not above it for `gt` and `gte`, not below it for `lt` and `lte`, within it for `outside`. `value` by default. `eq` and `ne` have none";
const MEASURED = "The number that is compared in place of the readings; the readings themselves if absent";
const METRIC = "The monitored metric, as devices send it: 1 to 128 bytes without control characters";

/**
 * Returns the shapes of a condition's limit and measure. Components of bodies refuse unknown fields and components of
 * answers do not, so that they have names of their own.
 */
function comparedShapes(suffix: "" | "Create") {
  const metadataLimit = z
    .strictObject({
      metadata: plainName.meta({ description: "The key in the device's metadata" }),
      default: z.number().meta({ description: "The limit of devices that have no number there" }),
    })
    .meta({ id: `MetadataLimit${suffix}`, description: "Each device's own limit, from its metadata" });
  const limit = z.union([...RULE_VALUE.options, metadataLimit]).meta({ id: `RuleLimit${suffix}` });
  const measure = z.union(measures(suffix)).meta({ id: `Measure${suffix}` });
  return {
    compared: {
      operator: OPERATOR,
      value: limit.meta({ description: VALUE }),
      measure: measure.optional().meta({ description: MEASURED }),
    },
    clear: limit.nullable().meta({ description: CLEAR_VALUE }),
  };
}

const RATE_UNIT = z.enum(RATE_UNITS).meta({ id: "RateUnit" });

function measures(suffix: "" | "Create") {
  const overSeconds = z
    .int()
    .min(10)
    .max(86_400)
    .meta({ description: "The time over which the change is measured, to a tenth of it" });
  const counter = z.boolean().optional().meta({
    description:
      "Whether the metric only counts up: a smaller number means that it began again from 0. False if absent",
  });
  return [
    z
      .strictObject({ kind: z.literal("change"), overSeconds, counter })
      .meta({ id: `ChangeMeasure${suffix}`, description: "How much the metric changes over `overSeconds`" }),
    z
      .strictObject({ kind: z.literal("rate"), overSeconds, per: RATE_UNIT, counter })
      .meta({ id: `RateMeasure${suffix}`, description: "How fast the metric changes, on average over `overSeconds`" }),
    z.strictObject({ kind: z.literal("age") }).meta({
      id: `AgeMeasure${suffix}`,
      description:
        "The seconds since the metric was last sent, whenever the device sends anything: above a limit, the metric is missing. Needs `gt` or `gte`",
    }),
    z.strictObject({ kind: z.literal("deviation"), days: z.int().min(1).max(records.daysOfDeviation.value) }).meta({
      id: `DeviationMeasure${suffix}`,
      description:
        "The difference from the device's own average at the same hour (UTC) of the last `days` days. It is compared once such readings exist",
    }),
  ] as const;
}

const shown = comparedShapes("");
const given = comparedShapes("Create");
const condition = z
  .strictObject({ metric: z.string(), ...shown.compared, clearValue: shown.clear })
  .meta({ id: "RuleCondition" });
const newCondition = z
  .strictObject({
    metric: plainName.meta({ description: METRIC }),
    ...given.compared,
    clearValue: given.clear.optional(),
  })
  .meta({ id: "RuleConditionCreate" });

const AND = "Conditions that must be broken at the same time as that of the rule. Not together with `or`";
const OR = "Conditions any of which breaks the rule, like its own. Not together with `and`";
const further = <T extends z.ZodType>(shape: T) => {
  const list = z
    .array(shape)
    .min(1)
    .max(records.conditionsOfRule.value - 1)
    .optional();
  return { and: list.meta({ description: AND }), or: list.meta({ description: OR }) };
};

export const rule = condition
  .extend({
    id: id.meta({ description: "Assigned by the service; an anomaly refers to it as `ruleId`" }),
    ...further(condition),
    forSeconds: z.int().min(0).meta({ description: "How long the fault must last before it counts" }),
    clearForSeconds: z.int().min(0).meta({ description: "How long the metric must be good before the fault is over" }),
    severity: SEVERITY,
    message: z
      .string()
      .meta({ description: "The message of the anomaly; if empty, a sentence generated from the rule" }),
  })
  .meta({ id: "ThresholdRule" });

const seconds = z.int().min(0).max(86_400).optional();

export const newRule = newCondition
  .extend({
    ...further(newCondition),
    forSeconds: seconds.meta({ default: 0, description: "How long the fault must last before it counts" }),
    clearForSeconds: seconds.meta({
      default: 0,
      description: "How long the metric must be good before the fault is over",
    }),
    severity: SEVERITY,
    message: z
      .string()
      .max(records.ruleMessageCharacters.value)
      .optional()
      .meta({ description: "The message of the anomaly" }),
  })
  .meta({ id: "ThresholdRuleCreate" });
