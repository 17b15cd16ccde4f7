import type { BatchEvaluator, TelemetryColumns } from "../telemetry/telemetry.ts";
import type { RulesDeps } from "./deps.ts";
import type { DeviceRules } from "./device-rules.ts";
import { evaluateBatch, followsOf } from "./evaluate-batch.ts";
import { type BatchRules, createRuleCache } from "./rule-cache.ts";
import { evaluationLocks, transitionStatements } from "./store-evaluation.ts";

/** Evaluates the rules of the devices of a batch; their state is cached in this process (`rule-cache.ts`). */
export function createBatchEvaluator({ database, clock, ids }: RulesDeps): BatchEvaluator {
  const cache = createRuleCache(database);
  return {
    async evaluate(messages, columns, tx) {
      const cached = await cache.rulesOf(new Set(messages.map(({ deviceUid }) => deviceUid)), tx);
      const transitions = await evaluateBatch(cached.devices, messages, cached.batch);
      const now = clock.now();
      return {
        locks: evaluationLocks(transitions),
        follows: followsColumn(columns, cached),
        transitions: transitionStatements(transitions, now, () => ids.uuid(now)),
      };
    },
    forget: (uids) => cache.forget(uids),
  };
}

/** For each evaluated row the newest reading before it. Rows of one device are neighbours. */
function followsColumn({ deviceUids, metrics, times, newest }: TelemetryColumns, { devices, batch }: BatchRules) {
  let uid: string | undefined;
  let evaluated: DeviceRules["metrics"] | undefined;
  return deviceUids.map((deviceUid, row) => {
    if (deviceUid !== uid) {
      uid = deviceUid;
      evaluated = devices.get(deviceUid)?.metrics;
    }
    return newest[row] && evaluated?.size ? followsOf(evaluated.get(metrics[row]!), times[row]!, batch) : undefined;
  });
}
