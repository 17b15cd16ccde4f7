import type { BatchEvaluator } from "../telemetry/telemetry.ts";
import type { RulesDeps } from "./deps.ts";
import { loadAverages } from "./derived/averages.ts";
import { evaluateBatch } from "./evaluate-batch.ts";
import { createRuleCache } from "./rule-cache.ts";
import { evaluationLocks, transitionStatements } from "./store-evaluation.ts";

/** Creates an evaluator for the rules of a batch's devices. Their state is cached in this process (`rule-cache.ts`). */
export function createBatchEvaluator({
  database,
  clock,
  ids,
}: Pick<RulesDeps, "database" | "clock" | "ids">): BatchEvaluator {
  const cache = createRuleCache(database);
  return {
    async evaluate(messages, versionOf, tx) {
      const devices = await cache.rulesOf(new Set(messages.map(({ deviceUid }) => deviceUid)), versionOf, tx);
      if (devices === undefined) return undefined;
      for (const device of devices.values()) device.version = versionOf(device.uid).after;
      const now = clock.now();
      await loadAverages(tx ?? database.db, devices, messages, now);
      const transitions = await evaluateBatch(devices, messages);
      return {
        locks: evaluationLocks(transitions),
        transitions: transitionStatements(transitions, now, () => ids.uuid(now)),
      };
    },
    forget: (uids) => cache.forget(uids),
  };
}
