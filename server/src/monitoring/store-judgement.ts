import type { Tx } from "../db/database.ts";
import type { RuleState } from "./evaluate-rule.ts";
import type { Judgement } from "./judge-batch.ts";
import { observedRow } from "./observe.ts";
import {
  endSilence,
  holdJudged,
  type ObservedRow,
  openAnomalyRows,
  passedAnomalyRows,
  resolveAnomalyRows,
} from "./observe-store.ts";
import type { Fault, Found } from "./watch.ts";
import { type StateRow, storeStates } from "./watch-store.ts";

/** Whether storing the telemetry says all there is to say. */
export function saysNothing({ found, spokeAgain }: Judgement): boolean {
  return found.length === 0 && spokeAgain.length === 0;
}

/** To be called first in the transaction that stores a judgement: devices and packs come before all other rows. */
export async function holdJudgement(tx: Tx, { found, spokeAgain }: Judgement): Promise<void> {
  const uids = found.map(({ deviceUid }) => deviceUid);
  await holdJudged(
    tx,
    [...uids, ...spokeAgain],
    found.map(({ watched }) => watched.thresholdId),
  );
}

/** Opens, counts and resolves anomalies and keeps states: a statement for all devices each, whatever the batch holds. */
export async function storeJudgement(tx: Tx, judgement: Judgement, now: Date, newId: () => string): Promise<void> {
  const { found, spokeAgain } = judgement;
  const states = found.map(stateRow).filter((row) => row !== undefined);
  if (states.length > 0) await storeStates(tx, states);
  await storeFaults(tx, found, now, newId);
  if (spokeAgain.length > 0) await endSilence(tx, spokeAgain, now);
}

/** The faults that were open before, then their ends, then those within the batch, then those that are open after it. */
async function storeFaults(tx: Tx, found: readonly Found[], now: Date, newId: () => string): Promise<void> {
  const rows = (of: (found: Found) => readonly (Fault | undefined)[]): ObservedRow[] =>
    found.flatMap((one) =>
      of(one).flatMap((fault) => (fault && fault.occurrences > 0 ? [faultRow(newId(), one, fault)] : [])),
    );
  const ended = found
    .filter((one) => one.ended)
    .map(({ deviceUid, watched }) => ({ deviceUid, ruleId: watched.rule.id }));
  const before = rows(({ current, ended }) => [current?.fresh ? undefined : current, ended]);
  if (before.length > 0) await openAnomalyRows(tx, before, now);
  if (ended.length > 0) await resolveAnomalyRows(tx, ended, "system", now);
  const passed = rows((one) => one.passed);
  if (passed.length > 0) await passedAnomalyRows(tx, passed, now);
  const opened = rows(({ current }) => [current?.fresh ? current : undefined]);
  if (opened.length > 0) await openAnomalyRows(tx, opened, now);
}

function faultRow(id: string, { deviceUid, watched }: Found, { value, occurrences }: Fault): ObservedRow {
  const { thresholdId, rule, revision } = watched;
  return { ...observedRow(id, { deviceUid, thresholdId, rule, value: value! }, occurrences), revision };
}

/** What is to be kept of a state; `undefined` where nothing is to be written. An open fault is kept as its anomaly. */
function stateRow({ deviceUid, watched, before }: Found): StateRow | undefined {
  const { state, thresholdId, revision, rule } = watched;
  const phase = kept(state);
  if (phase === kept(before) && (phase === undefined || state.since === before.since)) return undefined;
  return { deviceUid, ruleId: rule.id, thresholdId, revision, phase, since: state.since };
}

function kept({ phase }: RuleState): StateRow["phase"] {
  return phase === "pending" || phase === "clearing" ? phase : undefined;
}
