import type { Caller } from "../access/access.ts";
import type { Database } from "../db/database.ts";
import { createIngest, type Ingest, type IngestDeps } from "./ingest.ts";
import { type LatestValue, latest, type RejectedRecord, rejectedMessages } from "./read-device.ts";

export type { IngestQueue } from "./ingest.ts";
export type { Message } from "./prepare-message.ts";
export type { LatestValue, RejectedRecord } from "./read-device.ts";
export type { MetricValue } from "./reading.ts";

export interface MonitoringDeps extends IngestDeps {
  database: Database;
}

/** What devices said: messages in (the broker's side), values and rejected messages out (the callers' side). */
export interface Monitoring extends Ingest {
  latest(caller: Caller, deviceId: string): Promise<LatestValue[]>;
  rejectedMessages(caller: Caller, deviceId: string): Promise<RejectedRecord[]>;
}

export function createMonitoring(deps: MonitoringDeps): Monitoring {
  return {
    ...createIngest(deps),
    latest: (caller, deviceId) => latest(deps, caller, deviceId),
    rejectedMessages: (caller, deviceId) => rejectedMessages(deps, caller, deviceId),
  };
}
