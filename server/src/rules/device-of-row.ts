import type { DerivedDeviceRule, DeviceMetric, DeviceRules, PackRule } from "./device-rules.ts";
import type { RuleState } from "./evaluate-rule.ts";
import { readyFor } from "./ready-rule.ts";
import { conditionsOf } from "./rule.ts";
import type { DeviceRow, StoredState } from "./rule-state-store.ts";

export const NO_METRICS: ReadonlyMap<string, DeviceMetric> = new Map();

/** Builds the rules of a device with their stored states. */
export function toDevice(row: DeviceRow, packs: ReadonlyMap<string, PackRule[]>): DeviceRules {
  const open = new Set(row.open ?? []);
  const states = new Map((row.states ?? []).map((state) => [state.rule, state]));
  const latest = new Map((row.latest ?? []).map((value) => [value.metric, value]));
  const metrics = new Map<string, DeviceMetric>();
  const derived: DerivedDeviceRule[] = [];
  const metricOf = (name: string): DeviceMetric => {
    const { time = Number.NEGATIVE_INFINITY } = latest.get(name) ?? {};
    const metric = metrics.get(name) ?? { newest: time, value: undefined, rules: [] };
    metrics.set(name, metric);
    return metric;
  };
  for (const { thresholdId, revision, rule: given, ready } of (row.packs ?? []).flatMap((id) => packs.get(id) ?? [])) {
    const { id, metric } = given;
    const stored = states.get(id);
    const { rule, ...how } = ready ?? readyFor(given, row.metadata ?? {});
    const base = { thresholdId, revision, rule, state: stateOf(open.has(id), stored), transition: undefined };
    if (how.derived === undefined) {
      metricOf(metric).rules.push({ ...base, compiled: how.compiled });
      continue;
    }
    const conditions = conditionsOf(rule);
    const newest = conditions.map((condition) => metricOf(condition.metric).newest);
    const last = Math.max(...newest, how.derived.hasAge ? (row.newest ?? Number.NEGATIVE_INFINITY) : newest[0]!);
    const memory = conditions.map((_, at) => stored?.memory?.[at] ?? {});
    derived.push({ ...base, derived: how.derived, progress: { memory, last } });
  }
  if (derived.length > 0) {
    for (const [name, metric] of metrics) metric.value = latest.get(name)?.value ?? undefined;
  }
  return {
    uid: row.uid,
    version: Number(row.version),
    silent: open.has(null),
    metrics: metrics.size > 0 ? metrics : NO_METRICS,
    derived:
      derived.length > 0
        ? {
            rules: derived,
            hasAverage: derived.some((rule) => rule.derived.hasAverage),
            newest: row.newest ?? Number.NEGATIVE_INFINITY,
            averages: new Map(),
          }
        : undefined,
  };
}

/** Restores the state. The anomaly decides whether the rule is open; a stored state that contradicts it is ignored. */
function stateOf(open: boolean, stored: StoredState | undefined): RuleState {
  const phase = stored?.phase ?? null;
  if (phase !== null && (phase === "clearing") === open) return { phase, since: stored!.since! };
  return { phase: open ? "open" : "ok", since: 0 };
}
