import { type Bound, bind } from "../access/access.ts";
import { dryRun } from "./dry-run/dry-run.ts";
import { pollLostRenewals } from "./lost-renewals.ts";
import { deleteThreshold, showThreshold, tenantOfThreshold, updateThreshold } from "./packs/change-pack.ts";
import { createThreshold, getThreshold, listThresholds } from "./packs/packs.ts";
import { listWatchingThresholds } from "./packs/watching-packs.ts";
import { createSilencePoll, type SilenceDeps } from "./silence/silence.ts";

export { createBatchEvaluator } from "./batch-evaluator.ts";
export { RATE_UNITS } from "./measure.ts";
export { OPERATORS } from "./operator.ts";
export type { ThresholdChange, ThresholdGuard } from "./packs/change-pack.ts";
export type { ThresholdPack } from "./packs/packs.ts";
export type { RuleChange } from "./packs/rule-identity.ts";
export type { NewRule, Rule } from "./rule.ts";

export const ruleUseCases = {
  createThreshold,
  getThreshold,
  listThresholds,
  showThreshold,
  updateThreshold,
  deleteThreshold,
  tenantOfThreshold,
  listWatchingThresholds,
  dryRun,
  /** Must be called every few minutes. */
  pollLostRenewals,
};

/**
 * Threshold packs and their evaluation: on ingest (`createBatchEvaluator`), for silence, for lost renewals, and as a
 * dry run over stored telemetry.
 */
export interface Rules extends Bound<typeof ruleUseCases> {
  /** Opens and resolves the anomalies of silent devices. Must be called every few seconds. */
  pollSilence(): Promise<void>;
}

export function createRules(deps: SilenceDeps): Rules {
  return { ...bind(deps, ruleUseCases), pollSilence: createSilencePoll(deps) };
}
