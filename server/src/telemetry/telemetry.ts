import type { Caller } from "../access/access.ts";
import type { Database } from "../db/database.ts";
import {
  type ReadingPage,
  type ReadingQuery,
  readings,
  type Series,
  type SeriesQuery,
  series,
} from "./charts/read-telemetry.ts";
import { rollUp } from "./charts/roll-up.ts";
import { type LatestValue, latest, type RejectedRecord, rejectedMessages } from "./device-values.ts";
import { createIngest, type Ingest, type IngestDeps } from "./ingest/ingest.ts";
import { createFollowTelemetry, type FollowTelemetry } from "./live/follow-telemetry.ts";
import { type MeasureDeps, measure } from "./measure.ts";
import { tendTelemetry } from "./partitions/maintain-partitions.ts";

export type { ReadingPage, ReadingQuery, Series, SeriesQuery } from "./charts/read-telemetry.ts";
export { readStoredReadings, type StoredReading, type StoredReadings } from "./charts/stored-readings-store.ts";
export type { LatestValue, RejectedRecord } from "./device-values.ts";
export type { PreparedMessage, TelemetryColumns } from "./ingest/batch.ts";
export type { BatchEvaluation, BatchEvaluator } from "./ingest/batch-evaluator.ts";
export type { IngestQueue } from "./ingest/ingest-shard.ts";
export type { Message } from "./ingest/prepare-message.ts";
export type {
  FollowTelemetry,
  FollowTelemetryOptions,
  TelemetryFollower,
  TelemetryHandler,
} from "./live/follow-telemetry.ts";
export type { TelemetryChange } from "./live/telemetry-changes.ts";
export { type MetricValue, nameProblem, quoted, valueProblem } from "./reading.ts";

export interface TelemetryDeps extends IngestDeps {
  database: Database;
  metrics?: NonNullable<IngestDeps["metrics"]> & NonNullable<MeasureDeps["metrics"]>;
}

/** What devices publish: messages in (the broker's side), values and rejected messages out (the callers' side). */
export interface Telemetry extends Ingest {
  latest(caller: Caller, deviceId: string): Promise<LatestValue[]>;
  rejectedMessages(caller: Caller, deviceId: string): Promise<RejectedRecord[]>;
  followTelemetry: FollowTelemetry;
  readings(caller: Caller, deviceId: string, metric: string, query: ReadingQuery): Promise<ReadingPage>;
  series(caller: Caller, deviceId: string, metric: string, query: SeriesQuery): Promise<Series>;
  /** Creates the partitions of the coming days and drops those past their retention; called every hour. */
  tendTelemetry(): Promise<void>;
  /** Computes the minutes and hours that charts read; called every minute. */
  rollUp(): Promise<void>;
  /** Sets the gauges of waiting messages and due roll-ups. */
  measure(): Promise<void>;
}

export function createTelemetry(deps: TelemetryDeps): Telemetry {
  const ingest = createIngest(deps);
  return {
    ...ingest,
    latest: (caller, deviceId) => latest(deps, caller, deviceId),
    rejectedMessages: (caller, deviceId) => rejectedMessages(deps, caller, deviceId),
    followTelemetry: createFollowTelemetry(deps),
    readings: (caller, deviceId, metric, query) => readings(deps, caller, deviceId, metric, query),
    series: (caller, deviceId, metric, query) => series(deps, caller, deviceId, metric, query),
    tendTelemetry: () => tendTelemetry(deps),
    rollUp: () => rollUp(deps),
    measure: () => measure(deps, ingest.queue()),
  };
}
