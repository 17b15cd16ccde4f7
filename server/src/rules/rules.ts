import { type Bound, bind } from "../access/access.ts";
import { deleteThreshold, showThreshold, tenantOfThreshold, updateThreshold } from "./change-pack.ts";
import type { RulesDeps } from "./deps.ts";
import { dryRun } from "./dry-run.ts";
import { createThreshold, getThreshold, listThresholds } from "./packs.ts";
import { createSilencePoll } from "./silence.ts";

export { createBatchEvaluator } from "./batch-evaluator.ts";
export type { ThresholdChange } from "./change-pack.ts";
export type { ThresholdPack } from "./packs.ts";
export { type NewRule, OPERATORS, type Rule } from "./rule.ts";
export type { RuleChange } from "./rule-identity.ts";

export const ruleUseCases = {
  createThreshold,
  getThreshold,
  listThresholds,
  showThreshold,
  updateThreshold,
  deleteThreshold,
  tenantOfThreshold,
  dryRun,
};

/** Threshold packs and their evaluation: on ingest (`createBatchEvaluator`), of silence, and as a dry run over stored telemetry. */
export interface Rules extends Bound<typeof ruleUseCases> {
  /** Opens and resolves the anomalies of silent devices; called every few seconds. */
  pollSilence(): Promise<void>;
}

export function createRules(deps: RulesDeps): Rules {
  return { ...bind(deps, ruleUseCases), pollSilence: createSilencePoll(deps) };
}
