import { z } from "zod";
import { SEVERITIES } from "../../anomalies/anomalies.ts";
import { OPERATORS, RATE_UNITS, type ThresholdChange } from "../../rules/rules.ts";
import type { Facades } from "../facades.ts";
import { type Subcommand, subcommand, tenantSubcommand, text } from "../subcommand.ts";

const instant = z.iso.datetime({ offset: true }).transform((at) => new Date(at));
const comparand = z.union([z.number(), z.boolean(), text, z.tuple([z.number(), z.number()])]);
const seconds = z.int().min(0).max(86_400).optional();
const guarded = { id: text, revision: z.int().optional() };

/** The maximum number of packs in one answer. */
const MAX_PACKS = 10_000;

const limit = z.union([comparand, z.strictObject({ metadata: text, default: z.number() })]);
const changed = { overSeconds: z.int(), counter: z.boolean().optional() };
const measure = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("change"), ...changed }),
  z.strictObject({ kind: z.literal("rate"), ...changed, per: z.enum(RATE_UNITS) }),
  z.strictObject({ kind: z.literal("age") }),
  z.strictObject({ kind: z.literal("deviation"), days: z.int() }),
]);
const condition = z.strictObject({
  metric: text,
  operator: z.enum(OPERATORS),
  value: limit,
  clearValue: limit.nullable().optional(),
  measure: measure.optional(),
});

/** A rule as `threshold.show` returns it; a rule that stays has its id. The use case validates the values. */
const rule = condition.extend({
  id: text.optional(),
  and: z.array(condition).optional(),
  or: z.array(condition).optional(),
  forSeconds: seconds,
  clearForSeconds: seconds,
  severity: z.enum(SEVERITIES),
  message: text.optional(),
});

/** The commands for threshold packs and dry runs. */
export const thresholdSubcommands: readonly Subcommand[] = [
  tenantSubcommand("threshold.list", { q: text.optional() }, async ({ rules }, caller, { q }) => {
    const { items } = await rules.listThresholds(caller, { q, skip: 0, limit: MAX_PACKS });
    return { items };
  }),
  subcommand("threshold.show", { id: text }, async (facades, { id }) =>
    facades.rules.showThreshold(await callerOf(facades, id), id),
  ),
  subcommand(
    "threshold.update",
    { ...guarded, name: text.optional(), description: text.optional(), rules: z.array(rule).optional() },
    (facades, { id, revision, ...change }) => update(facades, id, change, revision),
  ),
  subcommand("threshold.enable", guarded, (facades, { id, revision }) =>
    update(facades, id, { enabled: true }, revision),
  ),
  subcommand("threshold.disable", guarded, (facades, { id, revision }) =>
    update(facades, id, { enabled: false }, revision),
  ),
  subcommand("threshold.delete", guarded, async (facades, { id, revision }) => {
    await facades.rules.deleteThreshold(await callerOf(facades, id), id, { revision });
    return { id };
  }),
  subcommand(
    "threshold.dry-run",
    {
      tenant: text.optional(),
      thresholdId: text,
      deviceId: text.optional(),
      deviceTypeId: text.optional(),
      from: instant,
      to: instant,
    },
    async (facades, { tenant, ...request }) => {
      const caller = await (tenant === undefined
        ? callerOf(facades, request.thresholdId)
        : facades.access.systemCaller(tenant));
      return await facades.rules.dryRun(caller, request);
    },
  ),
];

async function update(facades: Facades, id: string, change: ThresholdChange, revision: number | undefined) {
  return await facades.rules.updateThreshold(await callerOf(facades, id), id, change, { revision });
}

async function callerOf({ access, rules }: Facades, id: string) {
  return await access.systemCaller(await rules.tenantOfThreshold(id));
}
