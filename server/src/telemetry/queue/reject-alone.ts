import { findLock } from "../batch/batch-store.ts";
import { reject } from "../parse/prepare-message.ts";
import type { Rejection } from "../parse/rejection.ts";
import type { PendingMessage } from "./pending-message.ts";
import type { BatchResult, StorePendingDeps } from "./store-pending.ts";

/** The number of timeouts after which a message, alone in its batch, is rejected. */
const MAX_TIMEOUTS = 3;

/**
 * Rejects a message whose batch contained nothing else and was refused or timed out. A timeout may have other causes,
 * so the message is retried first. It waits while one of its hours is rolled up, and is not rejected while the tables
 * are locked.
 *
 * @returns when to store it again, rejected or unchanged: `next`, or `last` after those of other devices; `never` if
 *   the database is at fault
 */
export async function rejectAlone(
  deps: StorePendingDeps,
  pending: PendingMessage,
  { outcome, error }: BatchResult,
): Promise<"next" | "last" | "never"> {
  const { message, prepared } = pending;
  if (prepared.readings.length === 0) return "never";
  if (outcome === "timed_out") {
    const lock = await findLock(deps.database.db, prepared).catch(() => "database");
    if (lock === "hours") return "last";
    if (++pending.timeouts < MAX_TIMEOUTS) return "next";
    if (lock !== undefined) return "never";
  }
  deps.logger.error({ err: error, deviceId: message.deviceId }, "the database cannot store a message");
  const rejection = outcome === "timed_out" ? TIMED_OUT : REFUSED;
  pending.prepared = reject(message, rejection, prepared.receivedAt, pending.storedRows);
  pending.rows = 0;
  pending.parts = [];
  return "next";
}

const REFUSED: Rejection = { cause: "refused_by_database", reason: "the database cannot store this message" };
const TIMED_OUT: Rejection = {
  cause: "database_timeout",
  reason: `the database cannot store this message within its time limit; it was tried ${MAX_TIMEOUTS} times`,
};
