import { z } from "zod";
import { records } from "../../../lib/limits/records.ts";
import { ruleUseCases } from "../../../rules/rules.ts";
import { inApp } from "../../in-app.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, instant, label } from "../../shapes.ts";
import { newRule } from "../../v1/rule-shapes.ts";
import * as changes from "../../v1/threshold-changes.ts";
import * as specified from "../../v1/thresholds.ts";

const TAG = "Thresholds";
const VOLATILE = ["devices", "deviceTypes", "watchedDevices", "unresolvedAnomalies"] as const;

const thresholdDetail = changes.editedThreshold
  .extend({
    devices: z
      .int()
      .meta({ description: "The number of devices to which it is assigned, among those that the caller can see" }),
    deviceTypes: z.int().meta({ description: "The number of device types to which it is assigned" }),
    watchedDevices: z
      .int()
      .meta({ description: "The number of devices that it monitors, assigned to them or to their type" }),
    unresolvedAnomalies: z.int(),
  })
  .meta({ id: "ThresholdDetail" });

export const listThresholds = inApp(specified.listThresholds, {
  csv: "thresholds",
});

export const showThreshold = adminRoute({
  useCase: ruleUseCases.showThreshold,
  operationId: "getThreshold",
  method: "GET",
  path: "/api/admin/thresholds/{id}",
  tag: TAG,
  summary: "Show a threshold pack",
  description: "One threshold pack, with the devices and types that it monitors, as far as the user can see them.",
  params: idParams,
  status: 200,
  response: thresholdDetail,
  errors: ["not_found"],
  volatile: VOLATILE,
  examples: {
    response: { ...changes.EDITED_EXAMPLE, devices: 2, deviceTypes: 1, watchedDevices: 14, unresolvedAnomalies: 1 },
  },
  handler: (caller, { params }, showThreshold) => showThreshold(caller, params.id),
});

export const createThreshold = inApp(specified.createThreshold, {
  description: "An invalid rule is `invalid_request` with its position in `detail`, such as `rules.0.clearValue`.",
});

export const updateThreshold = adminRoute({
  useCase: ruleUseCases.updateThreshold,
  operationId: "updateThreshold",
  method: "PATCH",
  path: "/api/admin/thresholds/{id}",
  tag: TAG,
  summary: "Change a threshold pack",
  description:
    "Absent fields stay unchanged; `rules` replaces all rules. A rule that evaluates as before keeps its id and its anomalies; those of the other previous rules are resolved.",
  params: idParams,
  body: z
    .strictObject({
      name: label(),
      description: z.string().max(records.descriptionCharacters.value),
      enabled: z.boolean(),
      rules: z.array(changes.changedRule).min(1).max(records.rulesOfThreshold.value),
    })
    .partial()
    .meta({ id: "ThresholdEdit" }),
  status: 200,
  response: changes.editedThreshold,
  errors: ["not_found", "precondition_failed", "quota_exceeded", "already_exists"],
  volatile: VOLATILE,
  examples: { body: { enabled: false }, response: changes.EDITED_EXAMPLE },
  handler: (caller, { params, body, matches }, updateThreshold) =>
    updateThreshold(caller, params.id, body, { matches }),
});

export const deleteThreshold = inApp(changes.deleteThreshold);

export const listWatchingThresholds = adminRoute({
  useCase: ruleUseCases.listWatchingThresholds,
  operationId: "listWatchingThresholds",
  method: "GET",
  path: "/api/admin/devices/{id}/thresholds",
  tag: TAG,
  summary: "List the threshold packs that monitor a device",
  description: "The enabled packs that are assigned to the device or to its type, by name.",
  params: idParams,
  status: 200,
  response: z
    .strictObject({
      items: z.array(
        specified.thresholdRecord.pick({ id: true, name: true, rules: true }).meta({ id: "WatchingThreshold" }),
      ),
    })
    .meta({ id: "WatchingThresholdList" }),
  errors: ["not_found"],
  examples: {
    response: {
      items: [
        {
          id: specified.THRESHOLD_EXAMPLE.id,
          name: specified.THRESHOLD_EXAMPLE.name,
          rules: specified.THRESHOLD_EXAMPLE.rules,
        },
      ],
    },
  },
  handler: async (caller, { params }, listWatchingThresholds) => ({
    items: await listWatchingThresholds(caller, params.id),
  }),
});

export const dryRunThreshold = adminRoute({
  useCase: ruleUseCases.dryRun,
  operationId: "dryRunThreshold",
  method: "POST",
  path: "/api/admin/thresholds/dry-run",
  tag: TAG,
  summary: "Try rules on stored telemetry",
  description:
    "Returns the anomalies that a pack, or `rules` that are not in a pack yet, would have opened in [from, to): on one device, or on all visible devices of a type. It stores nothing. A tenant has one run at a time.",
  body: z
    .strictObject({
      rules: z.array(newRule).min(1).max(records.rulesOfThreshold.value).optional(),
      thresholdId: id.optional().meta({ description: "A pack, instead of `rules`" }),
      deviceId: id.optional(),
      deviceTypeId: id.optional().meta({ description: "All devices of the type, instead of `deviceId`" }),
      from: instant,
      to: instant.meta({ description: "Exclusive" }),
    })
    .meta({ id: "DryRunRequest" }),
  status: 200,
  response: changes.dryRunResult,
  errors: ["not_found"],
  examples: {
    body: {
      rules: [specified.RULE_EXAMPLE],
      deviceId: "pump-1",
      from: "2026-11-13T00:00:00Z",
      to: "2026-11-20T00:00:00Z",
    },
    response: changes.DRY_RUN_EXAMPLE,
  },
  handler: (caller, { body }, dryRun) => dryRun(caller, body),
});
