import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { BatchEvaluator, TelemetryColumns } from "../telemetry/telemetry.ts";
import type { WatchedDevice } from "./device-rules.ts";
import { followsOf, judgeBatch } from "./evaluate-batch.ts";
import { createWatches, type WatchedBatch } from "./rule-cache.ts";
import { holdJudgement, saysNothing, storeJudgement } from "./store-evaluation.ts";

export interface BatchEvaluatorDeps {
  database: Pick<Database, "db" | "listen">;
  clock: Clock;
  ids: Ids;
}

/** Evaluates the rules of the devices of a batch; their state is cached in this process (`rule-cache.ts`). */
export function createBatchEvaluator({ database, clock, ids }: BatchEvaluatorDeps): BatchEvaluator {
  const cache = createWatches(database);
  return {
    async evaluate(messages, columns, tx) {
      const watched = await cache.of(new Set(messages.map(({ deviceUid }) => deviceUid)), tx);
      const judgement = judgeBatch(watched.devices, messages, watched.batch);
      const now = clock.now();
      return {
        locks: saysNothing(judgement) ? [] : [holdJudgement(judgement)],
        follows: followsColumn(columns, watched),
        transitions: storeJudgement(judgement, now, () => ids.uuid(now)),
      };
    },
    forget: (uids) => cache.forget(uids),
  };
}

/** For each evaluated row the newest reading before it. Rows of one device are neighbours. */
function followsColumn({ deviceUids, metrics, times, newest }: TelemetryColumns, { devices, batch }: WatchedBatch) {
  let uid: string | undefined;
  let watched: WatchedDevice["metrics"] | undefined;
  return deviceUids.map((deviceUid, row) => {
    if (deviceUid !== uid) {
      uid = deviceUid;
      watched = devices.get(deviceUid)?.metrics;
    }
    return newest[row] && watched?.size ? followsOf(watched.get(metrics[row]!), times[row]!, batch) : undefined;
  });
}
