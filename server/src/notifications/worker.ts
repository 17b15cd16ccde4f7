import type { Unlisten } from "../db/database.ts";
import { EVENTS_CHANNEL } from "../events/events.ts";
import { SECOND } from "../lib/clock.ts";
import { coalesceRuns } from "../lib/coalesce-runs.ts";
import { withTimeout } from "../lib/timeouts.ts";
import { requestConfirmations } from "./channels/request-confirmations.ts";
import type { NotificationsDeps } from "./deps.ts";
import { tellHandOvers, watchHandOvers } from "./hand-overs/tell-hand-overs.ts";
import { handleInbox } from "./handle-inbox.ts";
import { createMailer } from "./mail/send-mail.ts";
import { suppressedReports } from "./notices/report-suppressed.ts";
import { isWorkDue } from "./paging/inbox-store.ts";
import { releaseDeferred } from "./paging/release-deferred.ts";
import { sendPages } from "./paging/send-pages.ts";
import { newTurn } from "./paging/take-turns.ts";
import { httpWorkers, mailWorkers } from "./send-due.ts";

/** The longest that {@link NotificationWorker.stop} waits for messages in flight. */
const STOP_TIMEOUT_MS = 5 * SECOND;

/** The part of a process that pages and sends. */
export interface NotificationWorker {
  /**
   * Starts listening for events, so that pages leave immediately.
   *
   * @param nodeId this process's id in `broker_nodes`
   */
  start(nodeId: string): Promise<void>;
  /** Handles due work, if any, without waiting for messages in flight. Must be called every second. */
  tick(): Promise<void>;
  /** Handles all due work. Resolves when all of its messages were sent or have failed. */
  runDue(): Promise<void>;
  /** Claims no further work. Resolves when messages in flight have been sent, or after 5 s. */
  stop(): Promise<void>;
}

/** @param setNodeId records the id of the process for later leases */
export function createWorker(deps: NotificationsDeps, setNodeId: (id: string) => void): NotificationWorker {
  const { database, clock, logger } = deps;
  const [stopping, abandoning] = [new AbortController(), new AbortController()];
  const signals = { stop: stopping.signal, abandon: abandoning.signal };
  const turns = { inbox: newTurn(), pages: newTurn() };
  const followUp = createFollowUp(deps);
  const watch = watchHandOvers(deps);
  const mailer = createMailer(deps);
  const pools = [mailWorkers(deps, mailer, signals), ...httpWorkers(deps, signals)];
  const logFailure = (work: Promise<unknown>) =>
    work.catch((error: Error) => logger.warn({ err: error.message }, "notifications failed; they will be retried"));

  const send = () => {
    for (const pool of pools) logFailure(pool.run());
  };

  const { run: page } = coalesceRuns(async () => {
    // Works step by step, so that due pages do not wait for an empty inbox. One tenant may fill it faster than it is
    // handled.
    for (let more = true; more && !stopping.signal.aborted; ) {
      const changes = await handleInbox(deps, turns.inbox);
      more = (await sendPages(deps, turns.pages)) || changes;
      if (more) send();
    }
    if (stopping.signal.aborted) return;
    await followUp();
  });
  const { run: pageAndSend } = coalesceRuns(async () => {
    await page();
    send();
  });
  let unlisten: Unlisten | undefined;

  return {
    async start(nodeId) {
      setNodeId(nodeId);
      unlisten = await database.listen(EVENTS_CHANNEL, () => void logFailure(pageAndSend()));
    },
    async tick() {
      if (stopping.signal.aborted) return;
      await watch();
      if (await isWorkDue(database.db, clock.now())) await pageAndSend();
    },
    async runDue() {
      await watch();
      await page();
      await Promise.all(pools.map((pool) => pool.run()));
    },
    async stop() {
      stopping.abort();
      await unlisten?.();
      const finished = logFailure(page()).then(() => Promise.all(pools.map((pool) => logFailure(pool.run()))));
      await withTimeout(finished, STOP_TIMEOUT_MS, () => {
        abandoning.abort(new Error("the service is stopping"));
        return finished;
      });
      mailer?.close();
    },
  };
}

/**
 * Performs the work after the pages: releases deferred messages, tells of hand-overs, reports suppressed messages, and
 * asks receivers to confirm channels.
 */
function createFollowUp(deps: NotificationsDeps): () => Promise<void> {
  const reportEachMinute = suppressedReports(deps);
  return async () => {
    await releaseDeferred(deps);
    await tellHandOvers(deps);
    await reportEachMinute();
    await requestConfirmations(deps);
  };
}
