import type { Database, Statement, Tx } from "../../db/database.ts";
import type { BoundStatement } from "../../db/statement.ts";
import { runTogether } from "../../db/transaction.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { MarkedHours, MarksDue } from "../charts/roll-up-marks.ts";
import { storeMarks } from "../charts/roll-up-store.ts";
import { isMissingDay } from "../partitions/partition-store.ts";
import type { TelemetryDays } from "../partitions/partitions.ts";
import { type PreparedMessage, type RejectedMessage, type TelemetryColumns, toColumns } from "./batch.ts";
import type { BatchEvaluator } from "./batch-evaluator.ts";
import {
  holdNewest,
  isJudgedElsewhere,
  type Placing,
  REJECTED_KEPT,
  type Seen,
  storeRejected,
  storeTelemetry,
} from "./telemetry-store.ts";

/** A row lock met the other way round by another process: the same batch goes through a moment later. */
const TRANSIENT = new Set(["40001", "40P01"]);
const ATTEMPTS = 5;

export interface StoreDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  ids: Ids;
  evaluator: BatchEvaluator;
  days: TelemetryDays;
  hours: MarkedHours;
}

/** What is stored of a batch, but for what its rules make of it. */
interface Batch {
  messages: readonly PreparedMessage[];
  columns: TelemetryColumns;
  seen: Seen;
  rejected: RejectedMessage[];
  placing: Placing;
}

/**
 * Stores all of `messages` and what the rules make of them in one commit. Throws what the database throws, and then nothing
 * is stored. Judged again where another process has judged the same metric meanwhile (the device has moved there or back).
 */
export async function storeBatch(deps: StoreDeps, messages: readonly PreparedMessage[], seen: Seen): Promise<void> {
  const columns = toColumns(messages);
  const rejected = lastRejected(messages);
  const uids = new Set(messages.map(({ deviceUid }) => deviceUid));
  let contested = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const nowMs = deps.clock.now().getTime();
      const kept = await deps.days.of(messages, columns, nowMs);
      const { marks, stored } = deps.hours.due(columns, kept, nowMs);
      const batch = { messages, columns, seen, rejected, placing: { kept, marks, nowMs } };
      if (contested) await storeContested(deps, batch);
      else await runTogether(deps.database.db, await evaluated(deps, batch));
      return await markLate(deps, stored);
    } catch (error) {
      deps.evaluator.forget(uids);
      if (isMissingDay(error)) deps.days.forget();
      contested ||= isJudgedElsewhere(error);
      if (attempt === ATTEMPTS || !isForAnotherTry(error)) throw error;
    }
  }
}

/** What was taken to be marked may have been computed while the batch was on its way. */
async function markLate({ database, clock }: StoreDeps, stored: MarksDue["stored"]): Promise<void> {
  const nowMs = clock.now().getTime();
  const late = stored(nowMs);
  if (late) await storeMarks(database.db, late, nowMs);
}

/** With the newest readings locked before they are read: no other process can evaluate in between. */
async function storeContested(deps: StoreDeps, batch: Batch): Promise<void> {
  await deps.database.db.transaction().execute(async (tx: Tx) => {
    await holdNewest(tx, batch.columns);
    await runTogether(tx, await evaluated(deps, batch, tx));
  });
}

/** Evaluates a batch. @returns what stores it: one statement where no rule changes state and no message is rejected */
async function evaluated(deps: StoreDeps, batch: Batch, tx?: Tx): Promise<(Statement | BoundStatement)[]> {
  const { messages, columns, seen, rejected, placing } = batch;
  const { locks, follows, transitions } = await deps.evaluator.evaluate(messages, columns, tx);
  return [
    ...locks,
    storeTelemetry(columns, seen, follows, placing),
    ...(rejected.length > 0 ? storeRejectedOnes(deps, rejected) : []),
    ...transitions,
  ];
}

function storeRejectedOnes({ ids }: StoreDeps, rejected: readonly RejectedMessage[]): Statement[] {
  return storeRejected(
    rejected,
    rejected.map(({ at }) => ids.uuid(new Date(at / 1000))),
  );
}

function isForAnotherTry(error: unknown): boolean {
  return TRANSIENT.has(sqlState(error)) || isJudgedElsewhere(error) || isMissingDay(error);
}

/**
 * Whether the database refused the data rather than being unable to take it (SQLSTATE classes 22 and 23). The parser
 * lets no such value through; should one slip in, its message alone must suffer.
 */
export function isRefusedData(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error));
}

function sqlState(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** Of every device the last ones only: those before would be trimmed in the same commit. */
function lastRejected(messages: readonly PreparedMessage[]): RejectedMessage[] {
  const kept: RejectedMessage[] = [];
  const count = new Map<string, number>();
  for (let index = messages.length - 1; index >= 0; index--) {
    const rejected = messages[index]!.rejected;
    if (rejected === undefined) continue;
    const already = count.get(rejected.deviceUid) ?? 0;
    if (already >= REJECTED_KEPT) continue;
    count.set(rejected.deviceUid, already + 1);
    kept.push(rejected);
  }
  return kept.reverse();
}
