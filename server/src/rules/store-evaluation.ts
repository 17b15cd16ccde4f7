import type { BoundStatement } from "../db/statement.ts";
import type { DerivedState } from "./derived/derived-rule.ts";
import type { Breaches, RuleTransition } from "./device-rules.ts";
import type { BatchTransitions } from "./evaluate-batch.ts";
import type { RuleState } from "./evaluate-rule.ts";
import { type StateRow, storeStates } from "./rule-state-store.ts";
import { messageOf } from "./rule-text.ts";
import {
  type BreachRow,
  endSilences,
  lockForEvaluation,
  openBreaches,
  resolveRules,
  storeTransient,
} from "./transition-store.ts";

/** Returns the first statements of the transaction that stores `transitions`, or none if there is nothing to store. */
export function evaluationLocks({ rules, silenceEnded }: BatchTransitions): BoundStatement[] {
  if (rules.length === 0 && silenceEnded.length === 0) return [];
  const uids = rules.map(({ deviceUid }) => deviceUid);
  const packs = rules.map(({ deviceRule }) => deviceRule.thresholdId);
  return [lockForEvaluation([...uids, ...silenceEnded], packs)];
}

/** Returns the statements that store the rule states and anomalies of a batch, one of each kind for all devices. */
export function transitionStatements(
  { rules, silenceEnded }: BatchTransitions,
  now: Date,
  newId: () => string,
): BoundStatement[] {
  const states = rules.map(stateRow).filter((row) => row !== undefined);
  return [
    ...(states.length > 0 ? [storeStates(states)] : []),
    ...anomalyStatements(rules, now, newId),
    ...(silenceEnded.length > 0 ? [endSilences(silenceEnded, now)] : []),
  ];
}

/**
 * Counts breaches into the anomalies that were open, resolves anomalies, then inserts the transient and the newly open
 * ones.
 */
function anomalyStatements(transitions: readonly RuleTransition[], now: Date, newId: () => string): BoundStatement[] {
  const rows = (of: (transition: RuleTransition) => readonly (Breaches | undefined)[]): BreachRow[] =>
    transitions.flatMap((transition) =>
      of(transition).flatMap((breaches) =>
        breaches && breaches.occurrences > 0 ? [breachRow(newId(), transition, breaches)] : [],
      ),
    );
  const continued = rows(({ open, resolved }) => [open?.isNew ? undefined : open, resolved]);
  const ended = transitions.filter(({ resolved }) => resolved);
  const transient = rows(({ transient }) => [transient]);
  const opened = rows(({ open }) => [open?.isNew ? open : undefined]);
  return [
    ...(continued.length > 0 ? [openBreaches(continued, now)] : []),
    ...(ended.length > 0 ? [resolveRules(ended.map(ruleOnDevice), now)] : []),
    ...(transient.length > 0 ? [storeTransient(transient, now)] : []),
    ...(opened.length > 0 ? [openBreaches(opened, now)] : []),
  ];
}

function ruleOnDevice({ deviceUid, deviceRule }: RuleTransition): { deviceUid: string; ruleId: string } {
  return { deviceUid, ruleId: deviceRule.rule.id };
}

function breachRow(
  id: string,
  { deviceUid, deviceRule }: RuleTransition,
  { value, occurrences, condition }: Breaches,
): BreachRow {
  const { thresholdId, rule, revision } = deviceRule;
  const { metric, value: limit } = condition ?? rule;
  return {
    id,
    device_uid: deviceUid,
    threshold_id: thresholdId,
    rule_id: rule.id,
    revision,
    metric,
    value: value!,
    breached: limit,
    severity: rule.severity,
    message: messageOf(rule),
    occurrences,
  };
}

/** Returns the state row to store, or `undefined` if it is unchanged. The anomaly itself records whether it is open. */
function stateRow({ deviceUid, deviceRule, before, remembers }: RuleTransition): StateRow | undefined {
  const { state, thresholdId, revision, rule, progress } = deviceRule;
  const phase = storedPhase(state);
  const isSame = phase === storedPhase(before) && (phase === undefined || state.since === before.since);
  if (isSame && !remembers) return undefined;
  const since = phase === undefined ? undefined : state.since;
  return { deviceUid, ruleId: rule.id, thresholdId, revision, phase, since, memory: memoryOf(progress) };
}

function memoryOf(progress: DerivedState | undefined): string | undefined {
  return progress?.memory.some((each) => Object.keys(each).length > 0) ? JSON.stringify(progress.memory) : undefined;
}

function storedPhase({ phase }: RuleState): StateRow["phase"] {
  return phase === "pending" || phase === "clearing" ? phase : undefined;
}
