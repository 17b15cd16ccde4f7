import type { Database, Tx } from "../../db/database.ts";
import { type BoundStatement, runPipelined } from "../../db/statement.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import { changeDevices } from "../latest/change-devices.ts";
import { isLatestConflict } from "../latest/change-latest-store.ts";
import { isWritten, type LatestChange } from "../latest/device-latest.ts";
import type { LatestCache } from "../latest/latest-cache.ts";
import { lockLatest } from "../latest/latest-rows-store.ts";
import { inOrderOfDevices, type PreparedMessage, type RejectedMessage } from "../message.ts";
import type { Shapes } from "../messages/device-shapes.ts";
import { toRows } from "../messages/message-rows.ts";
import { isRepeated } from "../messages/message-store.ts";
import { isMissingPartition } from "../partitions/partition-store.ts";
import { MAX_REJECTED_PER_DEVICE } from "../reading.ts";
import { markDirty } from "../roll-up/dirty-hour-store.ts";
import type { DirtyHourTracker } from "../roll-up/dirty-hours.ts";
import type { BatchEvaluator, VersionOf } from "./batch-evaluator.ts";
import { LOCK_NOT_AVAILABLE, type StoredBatch, storeReadings } from "./batch-store.ts";
import type { PartitionTargets } from "./partition-targets.ts";
import { storeRejected } from "./rejected-message-store.ts";
import type { Repeats } from "./repeats.ts";

/** The SQLSTATEs of serialization failures and deadlocks. The same batch succeeds when retried. */
const TRANSIENT = new Set(["40001", "40P01"]);
const MAX_ATTEMPTS = 5;
/**
 * The limit for a batch whose day other processes keep dropping before it is stored (`partitions/retire-messages.ts`).
 */
const MAX_ATTEMPTS_WITHOUT_DAY = 50;

export interface StoreBatchDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  ids: Ids;
  evaluator: BatchEvaluator;
  partitionTargets: PartitionTargets;
  dirtyHours: DirtyHourTracker;
  latest: LatestCache;
  shapes: Shapes;
  repeats: Repeats;
  limits: Pick<Limits, "metricsPerDevice">;
}

/** The parts of a batch that stay the same in every attempt to store it. */
interface Batch {
  messages: readonly PreparedMessage[];
  guards: readonly BoundStatement[];
  refuseEnded(): void;
  /** The messages in lock order. */
  ordered: readonly PreparedMessage[];
  /** Maps each device to the time of its last message, in lock order. */
  seen: ReadonlyMap<string, number>;
  rejected: RejectedMessage[];
}

/** Another process has stored a batch for a device, so the rules must be evaluated from a new state. */
class Outdated extends Error {}

/** Preparing the batch took so long that an hour of its rows may be in a chunk by now without being marked dirty. */
class PreparedTooLong extends Error {}

/**
 * Stores `messages` and their effect on the rules in one commit. If another process has stored messages of the same
 * devices in between, everything is prepared again with the latest values of these devices locked.
 *
 * @param guards statements that may refuse the batch; they come first in its transaction
 * @param refuseEnded called right before the batch is sent to the database; may throw
 * @throws TooManyMetrics if another process has added metrics to one of the devices
 * @throws the database's error; nothing is stored then
 */
export async function storeBatch(
  deps: StoreBatchDeps,
  messages: readonly PreparedMessage[],
  guards: readonly BoundStatement[],
  refuseEnded: () => void = () => undefined,
): Promise<void> {
  const ordered = inOrderOfDevices(messages);
  const batch = { messages, guards, refuseEnded, ordered, seen: seenOf(ordered), rejected: newestRejected(messages) };
  let lockFirst = false;
  let [attempts, withoutDay] = [0, 0];
  for (;;) {
    try {
      return await tryToStore(deps, batch, lockFirst);
    } catch (error) {
      deps.evaluator.forget(batch.seen.keys());
      deps.latest.forget(batch.seen.keys());
      deps.shapes.forget(batch.seen.keys());
      if (isMissingPartition(error)) {
        deps.partitionTargets.invalidate();
        withoutDay++;
      } else attempts++;
      if (isRepeated(error)) deps.repeats.record();
      lockFirst ||= isConflict(error);
      if (attempts === MAX_ATTEMPTS || withoutDay === MAX_ATTEMPTS_WITHOUT_DAY || !isRetryable(error)) throw error;
    }
  }
}

async function tryToStore(deps: StoreBatchDeps, batch: Batch, lockFirst: boolean): Promise<void> {
  const { db } = deps.database;
  const { messages, ordered } = batch;
  const nowMs = deps.clock.now().getTime();
  const rows = await toRows(deps.shapes, ordered);
  const retention = await deps.partitionTargets.of(messages, rows, nowMs);
  const { toMark, isLate, confirm } = deps.dirtyHours.select(rows, retention, nowMs);
  const storeInTime = () => {
    batch.refuseEnded();
    if (isLate(deps.clock.now().getTime())) throw new PreparedTooLong();
  };
  const target = { rows, retention, dirtyHours: toMark, nowMs };
  let latest: readonly LatestChange[] = [];
  if (lockFirst) {
    await db.transaction().execute(async (tx) => {
      await runPipelined(tx, batch.guards);
      await lockLatest(tx, batch.seen.keys());
      latest = await changesOf(deps, batch, tx);
      const statements = await statementsOf(deps, batch, { ...target, latest }, tx);
      storeInTime();
      await runPipelined(tx, statements);
    });
  } else {
    latest = await changesOf(deps, batch);
    const statements = await statementsOf(deps, batch, { ...target, latest });
    storeInTime();
    await runPipelined(db, [...batch.guards, ...statements]);
  }
  for (const change of latest) change.latest.version = versionsOf(change).after;
  const storedMs = deps.clock.now().getTime();
  const unmarked = confirm(storedMs);
  if (unmarked) await markDirty(db, unmarked, storedMs);
}

/** Applies the batch to the latest values of its devices, in memory. */
async function changesOf(
  { latest, limits }: StoreBatchDeps,
  { ordered, seen }: Batch,
  tx?: Tx,
): Promise<LatestChange[]> {
  const devices = await latest.of(new Set(seen.keys()), tx);
  return changeDevices(latest, devices, ordered, { seen, limit: limits.metricsPerDevice });
}

/** Evaluates the rules. @returns a single statement if no state changes and no message was rejected */
async function statementsOf(
  { evaluator, ids, repeats }: StoreBatchDeps,
  { messages, rejected }: Batch,
  target: StoredBatch,
  tx?: Tx,
): Promise<BoundStatement[]> {
  const versions = new Map(target.latest.map((change) => [change.deviceUid, versionsOf(change)]));
  const evaluation = await evaluator.evaluate(messages, (uid) => versions.get(uid)!, tx);
  if (evaluation === undefined) throw new Outdated();
  const rejectedIds = rejected.map(({ at }) => ids.uuid(new Date(at / 1000)));
  return [
    ...evaluation.locks,
    storeReadings(target, repeats.areExpected),
    ...(rejected.length > 0 ? storeRejected(rejected, rejectedIds) : []),
    ...evaluation.transitions,
  ];
}

function versionsOf(change: LatestChange): ReturnType<VersionOf> {
  const before = change.latest.version;
  return { before, after: isWritten(change) ? before + 1 : before };
}

function seenOf(ordered: readonly PreparedMessage[]): ReadonlyMap<string, number> {
  return new Map(ordered.map(({ deviceUid, receivedAt }) => [deviceUid, receivedAt]));
}

function isConflict(error: unknown): boolean {
  return error instanceof Outdated || isLatestConflict(error);
}

function isRetryable(error: unknown): boolean {
  if (error instanceof PreparedTooLong) return true;
  return TRANSIENT.has(sqlState(error)) || isConflict(error) || isMissingPartition(error) || isRepeated(error);
}

/** The SQLSTATE of a cancelled statement. The cause is nearly always its time limit. */
const CANCELLED = "57014";

/**
 * Classifies a database error: the data was refused (SQLSTATE classes 22, 23 and 54), the time limit was reached, or
 * something else failed. The parser should let no such data through. If it does, only that message must be rejected.
 */
export function storeOutcome(error: unknown): "refused" | "timed_out" | "failed" {
  const state = sqlState(error);
  // Not a fault of the data, although in class 23.
  if (isMissingPartition(error)) return "failed";
  if (state === CANCELLED || state === LOCK_NOT_AVAILABLE) return "timed_out";
  return /^(2[23]|54)/.test(state) ? "refused" : "failed";
}

function sqlState(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** Returns the newest rejected messages of each device, oldest first. Others would be trimmed in the same commit. */
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
