import type { Unlisten } from "../db/database.ts";
import { batchesOf } from "../lib/batching/batches-of.ts";
import { coalesceRuns } from "../lib/coalesce-runs.ts";
import type { ConnectionsDeps } from "./deps.ts";
import type { Drops } from "./drops/drops.ts";
import { enqueueDrops } from "./drops/enqueue-drop-store.ts";
import { beginCompletion, readComplete, setComplete, skipLostNumbers } from "./nodes/complete-store.ts";
import type { LostSession, Sessions } from "./sessions.ts";

/**
 * Re-records every session of this node after a crash of the database, or after another node has reaped this one. Until
 * that is done, no session is opened here, the node receives the drop of every revocation, and clients that connect to
 * other nodes wait (docs/decisions/0026-complete-nodes.md).
 */
export interface Completion {
  /** Applies the result of the last heartbeat. `wasReaped`: another node had reaped this one. */
  learn(duties: { isComplete: boolean; wasReaped: boolean }): void;
  /** Records the missing sessions, and closes those that were taken over or are no longer valid. */
  run(): Promise<void>;
  /** Like `run`, if the last heartbeat has shown that it is due. */
  runIfDue(): Promise<void>;
  /** Calls `run` whenever a lost database connection is restored, because the database may have crashed. */
  runAfterReconnects(): Promise<Unlisten>;
}

export function createCompletion(
  deps: ConnectionsDeps,
  { sessions, drops }: { sessions: Sessions; drops: Drops },
  nodeId: () => string | undefined,
): Completion {
  const { clock, ids, logger } = deps;
  const db = deps.database.connects;
  let lacksAll = false;
  let isDue = false;

  async function complete(): Promise<void> {
    const id = nodeId();
    if (id === undefined || (!lacksAll && (await readComplete(db, id)))) return;
    const restoresAll = lacksAll;
    lacksAll = false;
    const attempt = ids.uuid(clock.now());
    try {
      await beginCompletion(db, id, attempt);
      await skipLostNumbers(db);
      await drops.readAgain();
      const lost = await (restoresAll ? sessions.restoreAll(id) : sessions.restoreMissing(id));
      await enqueueLost(id, lost);
      await drops.deliver();
      await setComplete(db, id, attempt);
      logger.warn({ closed: lost.length }, "recorded the sessions of this node again");
    } catch (error) {
      lacksAll ||= restoresAll;
      throw error;
    }
  }

  /** Enqueues drops for lost sessions (all, if the process was suspended); other nodes wait until they are closed. */
  async function enqueueLost(id: string, lost: readonly LostSession[]): Promise<void> {
    for (const [reason, sessions] of Map.groupBy(lost, ({ reason }) => reason)) {
      for (const some of batchesOf(sessions.map(({ sessionId }) => sessionId)))
        await enqueueDrops(db, { sessionIds: some, nodeId: id, reason, staysValid: true }, clock.now());
    }
  }

  const { run } = coalesceRuns(complete);
  sessions.onIncomplete(run);
  const runInBackground = () => {
    run().catch((error: Error) => {
      logger.warn({ err: error.message }, "could not record the sessions of this node again; retrying");
    });
  };
  return {
    learn({ isComplete, wasReaped }) {
      lacksAll ||= wasReaped;
      isDue = lacksAll || !isComplete;
    },
    run,
    async runIfDue() {
      if (isDue) await run();
    },
    runAfterReconnects: () =>
      deps.database.listen("muster_drops", (payload) => void (payload === "" && runInBackground())),
  };
}
