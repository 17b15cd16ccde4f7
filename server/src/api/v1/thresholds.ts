import { z } from "zod";
import { records } from "../../lib/limits/records.ts";
import { ruleUseCases } from "../../rules/rules.ts";
import { publicRoute } from "../route.ts";
import { externalId, id, idParams, label, page, paging, timestamp } from "../shapes.ts";
import { newRule, rule } from "./rule-shapes.ts";

const TAG = "Thresholds";

export const thresholdRecord = z
  .strictObject({
    id,
    name: z.string(),
    description: z.string(),
    enabled: z.boolean().meta({ description: "The rules of a disabled pack are not evaluated" }),
    rules: z.array(rule),
    externalId,
    createdAt: timestamp,
  })
  .meta({ id: "Threshold" });

export const RULE_EXAMPLE = {
  metric: "temperature",
  operator: "gt",
  value: 90,
  clearValue: 85,
  forSeconds: 60,
  clearForSeconds: 120,
  severity: "major",
  message: "The bearing runs hot",
};

const RISE_EXAMPLE = {
  metric: "pressure",
  operator: "gt",
  value: { metadata: "maxRise", default: 5 },
  measure: { kind: "rate", overSeconds: 600, per: "minute" },
  severity: "major",
  and: [{ metric: "valve", operator: "eq", value: "open" }],
};

export const THRESHOLD_EXAMPLE = {
  id: "0199c1c6-2222-7a11-9c22-5e6f7a8b9c0d",
  name: "Pump bearings",
  description: "For every pump with a bearing sensor",
  enabled: true,
  rules: [
    { id: "0199c1c6-2222-7a11-9c26-5e6f7a8b9c0d", ...RULE_EXAMPLE },
    {
      id: "0199c1c6-2222-7a11-9c2a-5e6f7a8b9c0d",
      metric: "pressure",
      operator: "outside",
      value: [2, 8],
      clearValue: [2.5, 7.5],
      forSeconds: 0,
      clearForSeconds: 0,
      severity: "critical",
      message: "",
    },
    {
      id: "0199c1c6-2222-7a11-9c2e-5e6f7a8b9c0d",
      ...RISE_EXAMPLE,
      clearValue: { metadata: "maxRise", default: 5 },
      forSeconds: 0,
      clearForSeconds: 0,
      message: "",
      and: [{ metric: "valve", operator: "eq", value: "open", clearValue: null }],
    },
  ],
  externalId: null,
  createdAt: "2026-11-20T10:00:00.000Z",
};

export const thresholdQuery = z.strictObject({
  q: z.string().max(records.searchCharacters.value).optional().meta({ description: "Part of the name, ignoring case" }),
  ...paging(50, 200),
});

export const newThreshold = z
  .strictObject({
    name: label(),
    description: z.string().max(records.descriptionCharacters.value).optional(),
    enabled: z.boolean().optional().meta({ default: true }),
    rules: z.array(newRule).min(1).max(records.rulesOfThreshold.value),
    externalId: externalId.optional(),
  })
  .meta({ id: "ThresholdCreate" });

export const listThresholds = publicRoute({
  useCase: ruleUseCases.listThresholds,
  operationId: "listThresholds",
  method: "GET",
  path: "/api/v1/thresholds",
  tag: TAG,
  summary: "List threshold packs",
  description: "The tenant's threshold packs with their rules, newest first.",
  query: thresholdQuery,
  status: 200,
  response: page(thresholdRecord),
  errors: [],
  examples: { response: { items: [THRESHOLD_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listThresholds) => listThresholds(caller, query),
});

export const getThreshold = publicRoute({
  useCase: ruleUseCases.getThreshold,
  operationId: "getThreshold",
  method: "GET",
  path: "/api/v1/thresholds/{id}",
  tag: TAG,
  summary: "Get a threshold pack",
  description: "One threshold pack of the tenant.",
  params: idParams,
  status: 200,
  response: thresholdRecord,
  errors: ["not_found"],
  examples: { response: THRESHOLD_EXAMPLE },
  handler: (caller, { params }, getThreshold) => getThreshold(caller, params.id),
});

export const createThreshold = publicRoute({
  useCase: ruleUseCases.createThreshold,
  operationId: "createThreshold",
  method: "POST",
  path: "/api/v1/thresholds",
  tag: TAG,
  summary: "Create a threshold pack",
  description:
    "Creates a pack of 1 to 50 rules. It monitors the devices that name it in `thresholdIds` (`PUT /devices/{id}`). An invalid rule is `invalid_request` with its position in `detail`, such as `rules.0.clearValue`.",
  body: newThreshold,
  status: 201,
  response: thresholdRecord,
  errors: ["quota_exceeded", "already_exists"],
  examples: {
    body: {
      name: THRESHOLD_EXAMPLE.name,
      description: THRESHOLD_EXAMPLE.description,
      rules: [
        RULE_EXAMPLE,
        { metric: "pressure", operator: "outside", value: [2, 8], clearValue: [2.5, 7.5], severity: "critical" },
        RISE_EXAMPLE,
      ],
    },
    response: THRESHOLD_EXAMPLE,
  },
  handler: (caller, { body }, createThreshold) => createThreshold(caller, body),
});
