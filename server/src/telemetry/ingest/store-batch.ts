import type { Database, Tx } from "../../db/database.ts";
import { type BoundStatement, runPipelined } from "../../db/statement.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import { isMissingPartition } from "../partitions/partition-store.ts";
import type { PartitionTargets } from "../partitions/partition-targets.ts";
import { MAX_REJECTED_PER_DEVICE } from "../reading.ts";
import { markDirty } from "../roll-up/dirty-hour-store.ts";
import type { DirtyHourTracker } from "../roll-up/dirty-hours.ts";
import { type PreparedMessage, type RejectedMessage, type TelemetryColumns, toColumns } from "./batch.ts";
import type { BatchEvaluator } from "./batch-evaluator.ts";
import {
  isEvaluationConflict,
  LOCK_NOT_AVAILABLE,
  lockLatest,
  type StoredBatch,
  storeReadings,
} from "./batch-store.ts";
import type { LastSeen } from "./last-seen-throttle.ts";
import { storeRejected } from "./rejected-message-store.ts";

/** SQLSTATEs of a serialization failure and a deadlock: the same batch succeeds a moment later. */
const TRANSIENT = new Set(["40001", "40P01"]);
const MAX_ATTEMPTS = 5;

export interface StoreBatchDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  ids: Ids;
  evaluator: BatchEvaluator;
  partitionTargets: PartitionTargets;
  dirtyHours: DirtyHourTracker;
}

/** What stays the same in every attempt to store a batch. */
interface Batch {
  messages: readonly PreparedMessage[];
  guards: readonly BoundStatement[];
  columns: TelemetryColumns;
  lastSeen: LastSeen;
  rejected: RejectedMessage[];
}

/**
 * Stores `messages` and what their rules make of them in one commit. When another process stored newer readings of the same devices
 * in between, the rules are evaluated again, then with those readings locked.
 *
 * @param guards statements that may refuse the batch; the first of its transaction
 * @throws what the database throws; nothing is stored then
 */
export async function storeBatch(
  deps: StoreBatchDeps,
  messages: readonly PreparedMessage[],
  lastSeen: LastSeen,
  guards: readonly BoundStatement[],
): Promise<void> {
  const batch = { messages, guards, columns: toColumns(messages), lastSeen, rejected: newestRejected(messages) };
  const deviceUids = new Set(messages.map(({ deviceUid }) => deviceUid));
  let lockFirst = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToStore(deps, batch, lockFirst);
    } catch (error) {
      deps.evaluator.forget(deviceUids);
      if (isMissingPartition(error)) deps.partitionTargets.invalidate();
      lockFirst ||= isEvaluationConflict(error);
      if (attempt === MAX_ATTEMPTS || !isRetryable(error)) throw error;
    }
  }
}

async function tryToStore(deps: StoreBatchDeps, batch: Batch, lockFirst: boolean): Promise<void> {
  const { db } = deps.database;
  const { messages, columns, lastSeen } = batch;
  const nowMs = deps.clock.now().getTime();
  const retention = await deps.partitionTargets.of(messages, columns, nowMs);
  const { toMark, confirm } = deps.dirtyHours.select(columns, retention, nowMs);
  const target = { columns, lastSeen, retention, dirtyHours: toMark, nowMs };
  if (lockFirst) {
    await db.transaction().execute(async (tx) => {
      await runPipelined(tx, batch.guards);
      await lockLatest(tx, columns);
      await runPipelined(tx, await statementsOf(deps, batch, target, tx));
    });
  } else {
    await runPipelined(db, [...batch.guards, ...(await statementsOf(deps, batch, target))]);
  }
  const storedMs = deps.clock.now().getTime();
  const unmarked = confirm(storedMs);
  if (unmarked) await markDirty(db, unmarked, storedMs);
}

/** Evaluates the rules. @returns one statement when they change no state and no message was rejected */
async function statementsOf(
  { evaluator, ids }: StoreBatchDeps,
  { messages, columns, rejected }: Batch,
  target: Omit<StoredBatch, "follows">,
  tx?: Tx,
): Promise<BoundStatement[]> {
  const { locks, follows, transitions } = await evaluator.evaluate(messages, columns, tx);
  const rejectedIds = rejected.map(({ at }) => ids.uuid(new Date(at / 1000)));
  return [
    ...locks,
    storeReadings({ ...target, follows }),
    ...(rejected.length > 0 ? storeRejected(rejected, rejectedIds) : []),
    ...transitions,
  ];
}

function isRetryable(error: unknown): boolean {
  return TRANSIENT.has(sqlState(error)) || isEvaluationConflict(error) || isMissingPartition(error);
}

/** SQLSTATE of a statement that was cancelled, nearly always because it reached its time limit. */
const CANCELLED = "57014";

/**
 * Whether the database refused the data (SQLSTATE classes 22, 23 and 54), did not store it in time, or failed for another
 * reason. The parser should let nothing through that is refused; if it does, only that message must be rejected.
 */
export function storeOutcome(error: unknown): "refused" | "timed_out" | "failed" {
  const state = sqlState(error);
  if (state === CANCELLED || state === LOCK_NOT_AVAILABLE) return "timed_out";
  return /^(2[23]|54)/.test(state) ? "refused" : "failed";
}

function sqlState(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** The newest rejected messages of each device, oldest first: the others would be trimmed in the same commit. */
function newestRejected(messages: readonly PreparedMessage[]): RejectedMessage[] {
  const newest: RejectedMessage[] = [];
  const counts = new Map<string, number>();
  for (let index = messages.length - 1; index >= 0; index--) {
    const rejected = messages[index]!.rejected;
    if (rejected === undefined) continue;
    const count = counts.get(rejected.deviceUid) ?? 0;
    if (count >= MAX_REJECTED_PER_DEVICE) continue;
    counts.set(rejected.deviceUid, count + 1);
    newest.push(rejected);
  }
  return newest.reverse();
}
