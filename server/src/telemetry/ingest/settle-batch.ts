import type { Logger } from "../../lib/logger.ts";
import type { Metrics } from "../../lib/metrics.ts";
import type { PreparedMessage } from "./batch.ts";
import type { LastSeenThrottle } from "./last-seen-throttle.ts";
import { type Message, reject } from "./prepare-message.ts";
import { isRefusedData, type StoreBatchDeps, storeBatch } from "./store-batch.ts";

export interface SettleDeps extends StoreBatchDeps {
  lastSeen: LastSeenThrottle;
  logger: Logger;
  metrics: Pick<Metrics, "messages">;
}

/** A message whose sender waits for the commit. */
export interface PendingMessage {
  message: Message;
  prepared: PreparedMessage;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Stores a batch and settles every message of it. Never rejects. */
export async function settleBatch(deps: SettleDeps, batch: readonly PendingMessage[]): Promise<void> {
  const messages = batch.map(({ prepared }) => prepared);
  const lastSeen = deps.lastSeen.select(messages);
  try {
    await storeBatch(deps, messages, lastSeen);
  } catch (error) {
    deps.lastSeen.undo(lastSeen);
    if (isRefusedData(error)) return await settleRefused(deps, batch, error);
    deps.logger.error({ err: error, messages: batch.length }, "telemetry could not be stored");
    for (const pending of batch) pending.reject(error);
    return;
  }
  for (const { prepared, resolve } of batch) {
    deps.metrics.messages.inc({ result: prepared.rejected ? "rejected" : "stored" });
    resolve();
  }
}

/** Halves the batch until the message is alone whose data the database refuses, and stores that one as rejected. */
async function settleRefused(deps: SettleDeps, batch: readonly PendingMessage[], error: unknown): Promise<void> {
  if (batch.length > 1) {
    const middle = batch.length >> 1;
    await settleBatch(deps, batch.slice(0, middle));
    return await settleBatch(deps, batch.slice(middle));
  }
  const [pending] = batch as [PendingMessage];
  const { message, prepared } = pending;
  if (prepared.rejected) return pending.reject(error);
  deps.logger.error({ err: error, deviceId: message.deviceId }, "the database refused a message's data");
  const rejected = reject(message, "the database cannot store this message", prepared.receivedAt);
  await settleBatch(deps, [{ ...pending, prepared: rejected }]);
}
