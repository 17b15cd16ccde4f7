import type { Logger } from "../../lib/logger.ts";
import type { Metrics } from "../../lib/metrics.ts";
import type { PreparedMessage } from "../ingest/batch.ts";
import { limitLockWait } from "../ingest/batch-store.ts";
import type { ReceivedTimes } from "../ingest/received-times.ts";
import { type StoreBatchDeps, storeBatch, storeOutcome } from "../ingest/store-batch.ts";
import { TooManyMetrics } from "../latest/change-devices.ts";
import type { MetricCap } from "../metric-cap/metric-cap.ts";
import { progressGuards } from "../stream/progress-store.ts";
import type { PendingMessage } from "./pending-message.ts";

/** How often the metrics of a batch are checked again because another process has added some to its devices. */
const MAX_CHECKS = 5;

export interface SettleDeps extends StoreBatchDeps {
  received: ReceivedTimes;
  metricCap: MetricCap;
  /** A shared batch waits a short time for locks only: another tenant's transaction may have them. Not on the embedded database. */
  limitLockWait: boolean;
  logger: Logger;
  metrics: Pick<Metrics, "messages" | "messagesRejected" | "batchesBisected">;
}

/**
 * What became of a batch: the database `refused` its data, `timed_out` over it, or `failed` without any fault of the data. `error` is
 * the database's.
 */
export type BatchResult =
  | { outcome: "stored"; error?: undefined }
  | { outcome: "refused" | "timed_out" | "failed"; error: unknown };

/** Stores what is next of these messages, or nothing of it. Never rejects. */
export async function storePending(deps: SettleDeps, batch: readonly PendingMessage[]): Promise<BatchResult> {
  for (let check = 1; ; check++) {
    try {
      await tryToStore(deps, batch);
      return { outcome: "stored" };
    } catch (error) {
      if (error instanceof TooManyMetrics && check < MAX_CHECKS) continue;
      const outcome = storeOutcome(error);
      if (outcome === "failed") {
        deps.logger.error({ err: error, messages: batch.length }, "telemetry could not be stored");
      }
      return { outcome, error };
    }
  }
}

async function tryToStore(deps: SettleDeps, batch: readonly PendingMessage[]): Promise<void> {
  await deps.metricCap.admit(batch);
  const lockWait = deps.limitLockWait && areOfSeveralTenants(batch) ? [limitLockWait()] : [];
  const guards = [...lockWait, ...progressGuards(batch)];
  const messages = batch.map(({ prepared }) => prepared);
  deps.received.record(messages);
  await storeBatch(deps, messages, guards, () => refuseEnded(batch));
}

/** A process that stood still stores nothing that its clients may have sent again to another one since. */
function refuseEnded(batch: readonly PendingMessage[]): void {
  if (batch.some(({ message: { arrival } }) => arrival?.sender?.mayStore === false))
    throw new Error("the lease ended in which a message of the batch arrived");
}

function areOfSeveralTenants(batch: readonly PendingMessage[]): boolean {
  const first = batch[0]?.message.tenantId;
  return batch.some(({ message }) => message.tenantId !== first);
}

/** Counts messages that are settled. */
export function countMessages(
  metrics: SettleDeps["metrics"],
  messages: readonly { prepared: PreparedMessage }[],
): void {
  let stored = 0;
  for (const { prepared } of messages) {
    if (prepared.rejected === undefined) stored++;
    else metrics.messagesRejected.inc({ reason: prepared.rejected.cause });
  }
  if (stored > 0) metrics.messages.inc({ result: "stored" }, stored);
  if (stored < messages.length) metrics.messages.inc({ result: "rejected" }, messages.length - stored);
}
