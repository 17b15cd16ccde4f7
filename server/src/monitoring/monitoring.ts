import type { Caller } from "../access/access.ts";
import type { Database } from "../db/database.ts";
import type { Page } from "../lib/page.ts";
import { type AnomalyQuery, acknowledgeAnomaly, getAnomaly, listAnomalies } from "./anomalies.ts";
import type { Anomaly } from "./anomaly-record.ts";
import {
  deleteThreshold,
  type EditedPack,
  type PackInUse,
  showThreshold,
  type ThresholdChange,
  type ThresholdGuard,
  tenantOfThreshold,
  updateThreshold,
} from "./change-threshold.ts";
import { type DryRun, type DryRunRequest, dryRun } from "./dry-run.ts";
import { createFollowTelemetry, type FollowTelemetry } from "./follow-telemetry.ts";
import { createIngest, type Ingest, type IngestDeps } from "./ingest.ts";
import { type MeasureDeps, measure } from "./measure.ts";
import { type Observation, type ObservedAnomaly, openAnomalies, resolveAnomalies, type Watch } from "./observe.ts";
import { type LatestValue, latest, type RejectedRecord, rejectedMessages } from "./read-device.ts";
import {
  type ReadingPage,
  type ReadingQuery,
  readings,
  type Series,
  type SeriesQuery,
  series,
} from "./read-telemetry.ts";
import { rollUp } from "./roll-up.ts";
import { createSilenceWatch } from "./silence.ts";
import { tendTelemetry } from "./tend-telemetry.ts";
import {
  createThreshold,
  getThreshold,
  listThresholds,
  type NewThresholdPack,
  type ThresholdPack,
  type ThresholdQuery,
} from "./thresholds.ts";

export { ANOMALY_STATUSES, type Anomaly, type AnomalyStatus } from "./anomaly-record.ts";
export type { EditedPack, PackInUse, ThresholdChange, ThresholdGuard } from "./change-threshold.ts";
export type { DryRun, DryRunRequest } from "./dry-run.ts";
export type {
  FollowTelemetry,
  FollowTelemetryOptions,
  TelemetryFollower,
  TelemetryHandler,
} from "./follow-telemetry.ts";
export type { IngestQueue } from "./ingest-lane.ts";
export type { Observation, ObservedAnomaly, Watch } from "./observe.ts";
export type { Message } from "./prepare-message.ts";
export type { LatestValue, RejectedRecord } from "./read-device.ts";
export type { ReadingPage, ReadingQuery, Series, SeriesQuery } from "./read-telemetry.ts";
export type { MetricValue } from "./reading.ts";
export { type NewRule, OPERATORS, type Rule, SEVERITIES, type Severity } from "./rule.ts";
export type { RuleChange } from "./rule-identity.ts";
export type { TelemetryChange } from "./telemetry-changes.ts";
export type { NewThresholdPack, ThresholdPack } from "./thresholds.ts";

export interface MonitoringDeps extends IngestDeps {
  database: Database;
  metrics?: NonNullable<IngestDeps["metrics"]> & NonNullable<MeasureDeps["metrics"]>;
}

/**
 * What devices said: messages in (the broker's side), values and rejected messages out (the callers' side). What of it a
 * threshold pack forbids: packs, and anomalies from their first observation to their end.
 */
export interface Monitoring extends Ingest {
  latest(caller: Caller, deviceId: string): Promise<LatestValue[]>;
  rejectedMessages(caller: Caller, deviceId: string): Promise<RejectedRecord[]>;
  followTelemetry: FollowTelemetry;
  readings(caller: Caller, deviceId: string, metric: string, query: ReadingQuery): Promise<ReadingPage>;
  series(caller: Caller, deviceId: string, metric: string, query: SeriesQuery): Promise<Series>;
  createThreshold(caller: Caller, input: NewThresholdPack): Promise<ThresholdPack>;
  getThreshold(caller: Caller, id: string): Promise<ThresholdPack>;
  listThresholds(caller: Caller, query: ThresholdQuery): Promise<Page<ThresholdPack>>;
  /** A pack with its revision and what hangs on it. */
  showThreshold(caller: Caller, id: string): Promise<PackInUse>;
  updateThreshold(caller: Caller, id: string, change: ThresholdChange, guard?: ThresholdGuard): Promise<EditedPack>;
  deleteThreshold(caller: Caller, id: string, guard?: ThresholdGuard): Promise<void>;
  /** The slug of the tenant a pack belongs to, for the shell, which names a pack by its id alone. */
  tenantOfThreshold(id: string): Promise<string>;
  /** For whoever judges values: one batch, one statement. */
  openAnomalies(observations: readonly Observation[]): Promise<ObservedAnomaly[]>;
  resolveAnomalies(actor: string, watches: readonly Watch[]): Promise<Anomaly[]>;
  listAnomalies(caller: Caller, query: AnomalyQuery): Promise<Page<Anomaly>>;
  getAnomaly(caller: Caller, id: string): Promise<Anomaly>;
  acknowledgeAnomaly(caller: Caller, id: string, comment?: string): Promise<Anomaly>;
  /** Makes room for the telemetry of the days to come and drops what is kept no longer; called every hour. */
  tendTelemetry(): Promise<void>;
  /** Computes the minutes and hours that charts read; called every minute. */
  rollUp(): Promise<void>;
  /** What a pack would have found in stored telemetry. */
  dryRun(caller: Caller, request: DryRunRequest): Promise<DryRun>;
  /** Opens and resolves the anomalies of devices that fell silent; called every few seconds. */
  watchSilence(): Promise<void>;
  /** Sets the gauges of what waits and what is unresolved. */
  measure(): Promise<void>;
}

export function createMonitoring(deps: MonitoringDeps): Monitoring {
  const ingest = createIngest(deps);
  return {
    ...ingest,
    latest: (caller, deviceId) => latest(deps, caller, deviceId),
    rejectedMessages: (caller, deviceId) => rejectedMessages(deps, caller, deviceId),
    followTelemetry: createFollowTelemetry(deps),
    readings: (caller, deviceId, metric, query) => readings(deps, caller, deviceId, metric, query),
    series: (caller, deviceId, metric, query) => series(deps, caller, deviceId, metric, query),
    createThreshold: (caller, input) => createThreshold(deps, caller, input),
    getThreshold: (caller, id) => getThreshold(deps, caller, id),
    listThresholds: (caller, query) => listThresholds(deps, caller, query),
    showThreshold: (caller, id) => showThreshold(deps, caller, id),
    updateThreshold: (caller, id, change, guard) => updateThreshold(deps, caller, id, change, guard),
    deleteThreshold: (caller, id, guard) => deleteThreshold(deps, caller, id, guard),
    tenantOfThreshold: (id) => tenantOfThreshold(deps, id),
    openAnomalies: (observations) => openAnomalies(deps, observations),
    resolveAnomalies: (actor, watches) => resolveAnomalies(deps, actor, watches),
    listAnomalies: (caller, query) => listAnomalies(deps, caller, query),
    getAnomaly: (caller, id) => getAnomaly(deps, caller, id),
    acknowledgeAnomaly: (caller, id, comment) => acknowledgeAnomaly(deps, caller, id, comment),
    tendTelemetry: () => tendTelemetry(deps),
    rollUp: () => rollUp(deps),
    dryRun: (caller, request) => dryRun(deps, caller, request),
    watchSilence: createSilenceWatch(deps),
    measure: () => measure(deps, ingest.queue()),
  };
}
