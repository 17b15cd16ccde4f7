import { type Bound, bind, type Caller } from "../access/access.ts";
import type { Anomaly, Watch } from "../anomalies/anomalies.ts";
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import {
  deleteThreshold,
  type EditedPack,
  type PackInUse,
  showThreshold,
  type ThresholdChange,
  type ThresholdGuard,
  tenantOfThreshold,
  updateThreshold,
} from "./change-pack.ts";
import { type DryRun, type DryRunRequest, dryRun } from "./dry-run.ts";
import { type Observation, type ObservedAnomaly, openAnomalies, resolveAnomalies } from "./open-anomalies.ts";
import { createThreshold, getThreshold, listThresholds } from "./packs.ts";
import { createSilenceWatch } from "./silence.ts";

export { createBatchEvaluator } from "./batch-evaluator.ts";
export type { EditedPack, PackInUse, ThresholdChange, ThresholdGuard } from "./change-pack.ts";
export type { DryRun, DryRunRequest } from "./dry-run.ts";
export type { Observation, ObservedAnomaly } from "./open-anomalies.ts";
export type { NewThresholdPack, ThresholdPack } from "./packs.ts";
export { type NewRule, OPERATORS, type Rule } from "./rule.ts";
export type { RuleChange } from "./rule-identity.ts";

export interface RulesDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
}

export const ruleUseCases = { createThreshold, getThreshold, listThresholds };

/** Threshold packs and their evaluation: on ingest (`createBatchEvaluator`), of silence, and as a dry run over stored telemetry. */
export interface Rules extends Bound<typeof ruleUseCases> {
  /** A pack with its revision and the devices and types it is assigned to. */
  showThreshold(caller: Caller, id: string): Promise<PackInUse>;
  updateThreshold(caller: Caller, id: string, change: ThresholdChange, guard?: ThresholdGuard): Promise<EditedPack>;
  deleteThreshold(caller: Caller, id: string, guard?: ThresholdGuard): Promise<void>;
  /** The slug of the tenant a pack belongs to, for the shell, which names a pack by its id alone. */
  tenantOfThreshold(id: string): Promise<string>;
  openAnomalies(observations: readonly Observation[]): Promise<ObservedAnomaly[]>;
  resolveAnomalies(actor: string, watches: readonly Watch[]): Promise<Anomaly[]>;
  /** What a pack would have found in stored telemetry. */
  dryRun(caller: Caller, request: DryRunRequest): Promise<DryRun>;
  /** Opens and resolves the anomalies of silent devices; called every few seconds. */
  watchSilence(): Promise<void>;
}

export function createRules(deps: RulesDeps): Rules {
  return {
    ...bind(deps, ruleUseCases),
    showThreshold: (caller, id) => showThreshold(deps, caller, id),
    updateThreshold: (caller, id, change, guard) => updateThreshold(deps, caller, id, change, guard),
    deleteThreshold: (caller, id, guard) => deleteThreshold(deps, caller, id, guard),
    tenantOfThreshold: (id) => tenantOfThreshold(deps, id),
    openAnomalies: (observations) => openAnomalies(deps, observations),
    resolveAnomalies: (actor, watches) => resolveAnomalies(deps, actor, watches),
    dryRun: (caller, request) => dryRun(deps, caller, request),
    watchSilence: createSilenceWatch(deps),
  };
}
