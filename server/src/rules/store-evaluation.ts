import {
  endSilence,
  holdJudged,
  type ObservedRow,
  openAnomalyRows,
  passedAnomalyRows,
  resolveAnomalyRows,
} from "../anomalies/anomalies.ts";
import type { Statement } from "../db/database.ts";
import type { Fault, Found } from "./device-rules.ts";
import type { Judgement } from "./evaluate-batch.ts";
import type { RuleState } from "./evaluate-rule.ts";
import { observedRow } from "./open-anomalies.ts";
import { type StateRow, storeStates } from "./rule-state-store.ts";

/** Whether storing the telemetry says all there is to say. */
export function saysNothing({ found, spokeAgain }: Judgement): boolean {
  return found.length === 0 && spokeAgain.length === 0;
}

/** The first of the transaction that stores a judgement: devices and packs come before all other rows. */
export function holdJudgement({ found, spokeAgain }: Judgement): Statement {
  const uids = found.map(({ deviceUid }) => deviceUid);
  const packs = found.map(({ watched }) => watched.thresholdId);
  return holdJudged([...uids, ...spokeAgain], packs);
}

/** Opens, counts and resolves anomalies and keeps states: a statement for all devices each, whatever the batch contains. */
export function storeJudgement(judgement: Judgement, now: Date, newId: () => string): Statement[] {
  const { found, spokeAgain } = judgement;
  const states = found.map(stateRow).filter((row) => row !== undefined);
  return [
    ...(states.length > 0 ? [storeStates(states)] : []),
    ...storeFaults(found, now, newId),
    ...(spokeAgain.length > 0 ? [endSilence(spokeAgain, now)] : []),
  ];
}

/** The faults that were open before, then their ends, then those within the batch, then those that are open after it. */
function storeFaults(found: readonly Found[], now: Date, newId: () => string): Statement[] {
  const rows = (of: (found: Found) => readonly (Fault | undefined)[]): ObservedRow[] =>
    found.flatMap((one) =>
      of(one).flatMap((fault) => (fault && fault.occurrences > 0 ? [faultRow(newId(), one, fault)] : [])),
    );
  const ended = found
    .filter((one) => one.ended)
    .map(({ deviceUid, watched }) => ({ deviceUid, ruleId: watched.rule.id }));
  const before = rows(({ current, ended }) => [current?.fresh ? undefined : current, ended]);
  const passed = rows((one) => one.passed);
  const opened = rows(({ current }) => [current?.fresh ? current : undefined]);
  return [
    ...(before.length > 0 ? [openAnomalyRows(before, now)] : []),
    ...(ended.length > 0 ? [resolveAnomalyRows(ended, "system", now)] : []),
    ...(passed.length > 0 ? [passedAnomalyRows(passed, now)] : []),
    ...(opened.length > 0 ? [openAnomalyRows(opened, now)] : []),
  ];
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
