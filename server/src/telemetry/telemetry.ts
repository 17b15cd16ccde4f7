import { type Bound, bind } from "../access/access.ts";
import type { Database } from "../db/database.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { IngestStreamMetrics } from "../lib/metrics/stream-metrics.ts";
import type { StreamSettings } from "../lib/nats/stream-settings.ts";
import { deleteTelemetry } from "./deletion/delete-telemetry.ts";
import { followTelemetry } from "./follow/follow-telemetry.ts";
import { createTenantPolls } from "./follow/tenant-polls.ts";
import { createIngest, type Ingest, type IngestDeps } from "./ingest.ts";
import { measure } from "./measure.ts";
import { maintainPartitions } from "./partitions/maintain-partitions.ts";
import { retireMessages } from "./partitions/retire-messages.ts";
import { listFleetReadings } from "./read/fleet/fleet-readings.ts";
import { listFleetSeries } from "./read/fleet/fleet-series.ts";
import { listLatest } from "./read/latest.ts";
import { listReadings } from "./read/readings.ts";
import { listRejected } from "./read/rejected.ts";
import { readSeries } from "./read/series.ts";
import { rollUp } from "./roll-up/roll-up.ts";
import { streamLag } from "./stream/stream-lag.ts";
import { createStreamedIngest, type StreamedIngest } from "./stream/streamed-ingest.ts";
import { tryPayload } from "./try-payload.ts";

export type { StreamSettings } from "../lib/nats/stream-settings.ts";
export type { BatchEvaluator, VersionOf } from "./batch/batch-evaluator.ts";
export { enqueueTelemetryDeletion } from "./deletion/deletion-store.ts";
export type { TelemetryChange } from "./follow/changes.ts";
export type { TelemetryFollower } from "./follow/follow-telemetry.ts";
export type { NotStored, PreparedMessage, TimedReading } from "./message.ts";
export type { Message } from "./parse/prepare-message.ts";
export type { FleetReading, FleetReadingPage } from "./read/fleet/fleet-readings.ts";
export { readHours } from "./read/hours-store.ts";
export { readStoredReadings, readStoredTimes } from "./read/readings-store.ts";
export type { SeriesQuery } from "./read/series.ts";
export { type MetricValue, nameProblem, quoted, valueProblem } from "./reading.ts";

export { PAYLOAD_ENCODINGS } from "./try-payload.ts";

export interface TelemetryDeps extends IngestDeps {
  database: Database;
  metrics: IngestDeps["metrics"] &
    Pick<Metrics, "rollUpsDue" | "rollUpsFailed" | "telemetryWaiting" | "tenantsIsolated"> &
    IngestStreamMetrics;
  /** The JetStream settings for queueing messages until they are committed; undefined without NATS. */
  stream?: StreamSettings | undefined;
  /** The approximate number of bytes of a device hour that are read at once to build chunks. Defaults to 2 MB. */
  sliceBytes?: number | undefined;
}

/** The use cases that callers invoke, and the periodic jobs. */
export const telemetryUseCases = {
  listLatest,
  listRejected,
  listReadings,
  readSeries,
  listFleetReadings,
  listFleetSeries,
  tryPayload,
  followTelemetry,
  maintainPartitions,
  retireMessages,
  deleteTelemetry,
  rollUp,
  measure,
  streamLag,
};

/** The telemetry facade: {@link Ingest} takes messages from the broker, and the use cases read the stored telemetry. */
export type Telemetry = Ingest & StreamedIngest & Bound<typeof telemetryUseCases>;

export function createTelemetry(deps: TelemetryDeps): Telemetry {
  const ingest = createStreamedIngest(deps, createIngest(deps));
  const tenantPolls = createTenantPolls(deps.database.db);
  return { ...ingest, ...bind({ ...deps, ingest, tenantPolls }, telemetryUseCases) };
}
