import type { Logger } from "../../lib/logger.ts";
import type { Metrics } from "../../lib/metrics/metrics.ts";
import { limitLockWait } from "../batch/batch-store.ts";
import { progressGuards } from "../batch/progress-store.ts";
import { type StoreBatchDeps, storeBatch, storeOutcome } from "../batch/store-batch.ts";
import { TooManyMetrics } from "../latest/change-devices.ts";
import type { NotStored, PreparedMessage } from "../message.ts";
import type { MetricCap } from "./metric-cap.ts";
import type { PendingMessage } from "./pending-message.ts";
import type { ReceivedTimes } from "./received-times.ts";

/**
 * The number of times that the metrics of a batch are rechecked after another process has added some to its devices.
 */
const MAX_CHECKS = 5;

export interface StorePendingDeps extends StoreBatchDeps {
  received: ReceivedTimes;
  metricCap: MetricCap;
  /**
   * Whether a shared batch waits only briefly for locks, which another tenant's transaction may have. False on the
   * embedded database.
   */
  limitLockWait: boolean;
  logger: Logger;
  metrics: Pick<Metrics, "messages" | "messagesRejected" | "batchesBisected">;
}

/**
 * The outcome of a batch: the database `refused` its data, `timed_out` over it, or `failed` for another reason. `error`
 * is the database's error.
 */
export type BatchResult =
  | { outcome: "stored"; error?: undefined }
  | { outcome: "refused" | "timed_out" | "failed"; error: unknown };

/** Stores the next part of each message, or nothing. Never rejects. */
export async function storePending(deps: StorePendingDeps, batch: readonly PendingMessage[]): Promise<BatchResult> {
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

async function tryToStore(deps: StorePendingDeps, batch: readonly PendingMessage[]): Promise<void> {
  await deps.metricCap.admit(batch);
  const lockWait = deps.limitLockWait && areOfSeveralTenants(batch) ? [limitLockWait()] : [];
  const guards = [...lockWait, ...progressGuards(batch)];
  const messages = batch.map(({ prepared }) => prepared);
  deps.received.record(messages);
  await storeBatch(deps, messages, guards, () => refuseEnded(batch));
}

/** Throws once a sender's lease has ended, because its client may have sent the message again to another process. */
function refuseEnded(batch: readonly PendingMessage[]): void {
  if (batch.some(({ message: { arrival } }) => arrival?.sender?.mayStore === false))
    throw new Error("the lease under which a message of the batch arrived has ended");
}

function areOfSeveralTenants(batch: readonly PendingMessage[]): boolean {
  const first = batch[0]?.message.tenantId;
  return batch.some(({ message }) => message.tenantId !== first);
}

/** Counts settled messages. */
export function countMessages(
  metrics: StorePendingDeps["metrics"],
  messages: readonly { prepared: PreparedMessage }[],
): void {
  let [stored, partly] = [0, 0];
  for (const { prepared } of messages) {
    if (prepared.rejected === undefined) stored++;
    else if (prepared.rejected.storedValues > 0) partly++;
    else metrics.messagesRejected.inc({ reason: prepared.rejected.cause });
  }
  if (stored > 0) metrics.messages.inc({ result: "stored" }, stored);
  if (partly > 0) metrics.messages.inc({ result: "partly_stored" }, partly);
  const rejected = messages.length - stored - partly;
  if (rejected > 0) metrics.messages.inc({ result: "rejected" }, rejected);
}

/** Returns why a settled message is not stored, or only in part; `undefined` if all of it is. */
export function notStored({ rejected }: PreparedMessage): NotStored | undefined {
  return rejected && { reason: rejected.reason, storedValues: rejected.storedValues };
}
