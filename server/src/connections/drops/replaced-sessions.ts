import { RequestBatcher } from "../../lib/batching/request-batcher.ts";
import { addMs } from "../../lib/clock.ts";
import { withTimeout } from "../../lib/timeouts.ts";
import type { ConnectionsDeps } from "../deps.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import { openReplaced, type ReplacedState, type ReplacingSession } from "./drop-store.ts";
import { TAKEOVER_MS } from "./enqueue-drop-store.ts";

/** The number of waiting callers that one statement checks; when a machine is lost, that many devices wait. */
export const MOST_CHECKED = 1_000;
/** The longest that a client waits for its sessions in other processes to be closed. */
const REPLACED_MS = 2_000;
/** The time that a process has to notice in the database that its session was replaced. */
const NOTICE_MS = 200;

/**
 * Returns whether every live node has closed a client's earlier, replaced sessions in time. After a crash of the
 * database this includes unrecorded sessions: it waits until every live node is complete.
 *
 * @param known one of the replaced sessions
 * @param notify called for a session whose process has not noticed in the database that it was replaced, perhaps
 * because it is cut off. A process without a heartbeat is not waited for and is notified immediately: after an
 * interruption of the database it may recover later than others
 */
export type AwaitReplaced = (
  session: ReplacingSession,
  known: string | undefined,
  notify: (sessionId: string) => void,
) => Promise<boolean>;

export function createAwaitReplaced(
  { database, clock }: ConnectionsDeps,
  acknowledgements: Acknowledgements,
): AwaitReplaced {
  const checks = new RequestBatcher<ReplacingSession, ReplacedState>({
    most: MOST_CHECKED,
    run: (requests) => openReplaced(database.connects, requests, addMs(clock.now(), -TAKEOVER_MS)),
    failsWholeBatch: () => true,
  });

  return async (session, known, notify) => {
    const notified = new Set<string>();
    const notifyOnce = (sessionId: string) => {
      if (!notified.has(sessionId)) notify(sessionId);
      notified.add(sessionId);
    };
    let open: ReplacedState["open"] = known === undefined ? [] : [{ sessionId: known, isLive: true }];
    const areClosed = acknowledgements.until(REPLACED_MS, async () => {
      const state = await checks.ask(session);
      open = state.open;
      for (const { sessionId, isLive } of open) if (!isLive) notifyOnce(sessionId);
      return !state.hasUnknown && !open.some(({ isLive }) => isLive);
    });
    const inTime = await withTimeout(areClosed, NOTICE_MS, () => undefined);
    if (inTime !== undefined) return inTime;
    for (const { sessionId } of open) notifyOnce(sessionId);
    return await withTimeout(areClosed, REPLACED_MS - NOTICE_MS, () => false);
  };
}
