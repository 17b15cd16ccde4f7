import { z } from "zod";
import { records } from "../../lib/limits/records.ts";
import { ruleUseCases, type ThresholdGuard } from "../../rules/rules.ts";
import { METRIC_VALUE, RULE_VALUE, SEVERITY } from "../named-shapes.ts";
import { publicRoute } from "../route.ts";
import { externalId, id, idParams, instant, label, timestamp } from "../shapes.ts";
import { newRule } from "./rule-shapes.ts";
import { RULE_EXAMPLE, THRESHOLD_EXAMPLE, thresholdRecord } from "./thresholds.ts";

const TAG = "Thresholds";

export const editedThreshold = thresholdRecord
  .extend({ revision: z.int().meta({ description: "Increases with every change" }), updatedAt: timestamp })
  .meta({ id: "EditedThreshold" });

export const changedRule = newRule
  .extend({
    id: id.optional().meta({ description: "The id of an existing rule of the pack, which keeps its anomalies" }),
  })
  .meta({ id: "ChangedThresholdRule" });

const wouldBeAnomaly = z
  .strictObject({
    deviceId: z.string(),
    rule: z.int().meta({ description: "The position of the rule in the pack, from 0" }),
    metric: z.string(),
    value: METRIC_VALUE.meta({ description: "The last observed value" }),
    limit: RULE_VALUE,
    severity: SEVERITY,
    message: z.string(),
    openedAt: timestamp,
    lastObservedAt: timestamp,
    occurrences: z.int(),
    resolvedAt: timestamp.nullable().meta({ description: "`null` if not within the period" }),
  })
  .meta({ id: "WouldBeAnomaly" });

export const EDITED_EXAMPLE = { ...THRESHOLD_EXAMPLE, revision: 3, updatedAt: "2026-11-20T10:00:00.000Z" };

export const dryRunResult = z
  .strictObject({
    anomalies: z.array(wouldBeAnomaly).meta({ description: "Oldest first" }),
    devices: z.int().meta({ description: "The number of evaluated devices" }),
    readings: z.int().meta({ description: "The number of evaluated readings" }),
    cut: z.boolean().meta({ description: "Whether a limit was reached, so that there may be more" }),
  })
  .meta({ id: "DryRun" });

export const DRY_RUN_EXAMPLE = {
  anomalies: [
    {
      deviceId: "pump-1",
      rule: 0,
      metric: RULE_EXAMPLE.metric,
      value: 92.5,
      limit: RULE_EXAMPLE.value,
      severity: "major",
      message: RULE_EXAMPLE.message,
      openedAt: "2026-11-18T10:00:00.000Z",
      lastObservedAt: "2026-11-18T10:04:00.000Z",
      occurrences: 240,
      resolvedAt: "2026-11-18T10:06:00.000Z",
    },
  ],
  devices: 1,
  readings: 604_800,
  cut: false,
};

type Matches = NonNullable<ThresholdGuard["matches"]>;

/** Returns `If-Match` for the record of `GET`, which has no revision. */
function guardOf(matches: ((record: object) => boolean) | undefined): { matches?: Matches } {
  return matches ? { matches: ({ revision: _, updatedAt: __, ...pack }) => matches(pack) } : {};
}

export const updateThreshold = publicRoute({
  useCase: ruleUseCases.updateThreshold,
  operationId: "updateThreshold",
  method: "PATCH",
  path: "/api/v1/thresholds/{id}",
  tag: TAG,
  summary: "Change a threshold pack",
  description:
    "Absent fields stay unchanged; `rules` replaces all rules. A rule that evaluates as before keeps its id and its anomalies; those of the other previous rules are resolved. `revision`, like `If-Match`, refuses the change if the pack has changed since.",
  params: idParams,
  body: z
    .strictObject({
      name: label(),
      description: z.string().max(records.descriptionCharacters.value),
      enabled: z.boolean(),
      rules: z.array(changedRule).min(1).max(records.rulesOfThreshold.value),
      externalId,
      revision: z.int().min(1).meta({ description: "The revision that the change was made for" }),
    })
    .partial()
    .meta({ id: "ThresholdUpdate" }),
  status: 200,
  response: editedThreshold,
  errors: ["not_found", "quota_exceeded", "already_exists"],
  volatile: ["revision", "updatedAt"],
  examples: { body: { description: "For every pump" }, response: EDITED_EXAMPLE },
  handler: (caller, { params, body: { revision, ...change }, matches }, updateThreshold) =>
    updateThreshold(caller, params.id, change, { revision, ...guardOf(matches) }),
});

export const deleteThreshold = publicRoute({
  useCase: ruleUseCases.deleteThreshold,
  operationId: "deleteThreshold",
  method: "DELETE",
  path: "/api/v1/thresholds/{id}",
  tag: TAG,
  summary: "Delete a threshold pack",
  description: "The pack no longer monitors any device. Its anomalies are resolved and stay listed.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, deleteThreshold) => deleteThreshold(caller, params.id),
});

export const enableThreshold = publicRoute({
  useCase: ruleUseCases.updateThreshold,
  operationId: "enableThreshold",
  method: "POST",
  path: "/api/v1/thresholds/{id}/enable",
  tag: TAG,
  summary: "Enable a threshold pack",
  description: "Its rules are evaluated again. May be repeated.",
  params: idParams,
  status: 200,
  response: editedThreshold,
  errors: ["not_found"],
  examples: { response: EDITED_EXAMPLE },
  handler: (caller, { params }, updateThreshold) => updateThreshold(caller, params.id, { enabled: true }),
});

export const disableThreshold = publicRoute({
  useCase: ruleUseCases.updateThreshold,
  operationId: "disableThreshold",
  method: "POST",
  path: "/api/v1/thresholds/{id}/disable",
  tag: TAG,
  summary: "Disable a threshold pack",
  description: "Its rules are no longer evaluated, and its anomalies are resolved. May be repeated.",
  params: idParams,
  status: 200,
  response: editedThreshold,
  errors: ["not_found"],
  examples: { response: { ...EDITED_EXAMPLE, enabled: false } },
  handler: (caller, { params }, updateThreshold) => updateThreshold(caller, params.id, { enabled: false }),
});

export const dryRunThreshold = publicRoute({
  useCase: ruleUseCases.dryRun,
  operationId: "dryRunThreshold",
  method: "POST",
  path: "/api/v1/thresholds/{id}/dry-run",
  tag: TAG,
  summary: "Try a threshold pack on stored telemetry",
  description:
    "Returns the anomalies that the pack, or `rules` in its place, would have opened in [from, to): on one device, or on all devices of a type that the caller sees. It stores nothing. A tenant has one run at a time.",
  params: idParams,
  body: z
    .strictObject({
      rules: z
        .array(newRule)
        .min(1)
        .max(records.rulesOfThreshold.value)
        .optional()
        .meta({ description: "Rules that replace those of the pack in this run" }),
      deviceId: id.optional(),
      deviceTypeId: id.optional().meta({ description: "All devices of the type, instead of `deviceId`" }),
      from: instant,
      to: instant.meta({ description: "Exclusive" }),
    })
    .meta({ id: "ThresholdDryRunCreate" }),
  status: 200,
  response: dryRunResult,
  safe: true,
  errors: ["not_found"],
  examples: {
    body: { deviceId: "pump-1", from: "2026-11-13T00:00:00Z", to: "2026-11-20T00:00:00Z" },
    response: DRY_RUN_EXAMPLE,
  },
  handler: (caller, { params, body }, dryRun) =>
    dryRun(caller, { ...body, ...(body.rules ? {} : { thresholdId: params.id }) }),
});
