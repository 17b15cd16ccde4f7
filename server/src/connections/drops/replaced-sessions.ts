import { RequestBatcher } from "../../lib/batching/request-batcher.ts";
import { addMs } from "../../lib/clock.ts";
import { withTimeout } from "../../lib/timeouts.ts";
import type { ConnectionsDeps } from "../deps.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import { openReplaced, type ReplacedState, type ReplacingSession } from "./drop-store.ts";
import { TAKEOVER_MS } from "./enqueue-drop-store.ts";

/** Callers that wait and that one statement checks for: as many devices wait when a machine is lost. */
export const MOST_CHECKED = 1_000;
/** How long a client waits for its sessions at other processes to be closed. */
const REPLACED_MS = 2_000;
/** How long a process may take to notice from the database that its session was replaced. */
const NOTICE_MS = 200;

/**
 * Whether every live node has closed the earlier sessions of a client, which others have replaced, in time. After a crash of the database also those that are
 * not recorded: it waits until every live node is complete.
 *
 * @param known one of them
 * @param notify of a session whose process has not noticed it from the database: it may be cut off from that. One without a heartbeat, which is not
 *   waited for, is notified at once: after an interruption of the database it may be back later than others
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
    isOfAll: () => true,
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
