import { RequestBatcher } from "../../lib/batching/request-batcher.ts";
import type { ConnectionsDeps } from "../deps.ts";
import { isUnavailable } from "../session-store.ts";
import { type DelayedWill, endEarlier, hasEarlier, insertWills, takeWills } from "./will-store.ts";

const MOST_AT_ONCE = 64;

/**
 * Wills without a delay, while their clients are connected. The process that has the connection publishes its will; it is stored for the
 * case that this process ends without a word. Every function rejects when the database fails.
 */
export interface UndelayedWills {
  /** Stores the will of a connection. */
  keepWill(will: DelayedWill): Promise<void>;
  /**
   * The connection has ended: deletes its will.
   *
   * @returns whether it is for this process to publish it; otherwise it is void, or another process publishes it
   */
  takeWill(sessionId: string): Promise<boolean>;
  /** Makes the wills due that earlier connections of an owner have left: the processes that had them have ended, or published nothing. */
  endEarlierWills(ownerId: string, sessionId: string): Promise<void>;
  /** Whether a will of an earlier connection is still to be published. */
  hasEarlierWill(ownerId: string, sessionId: string): Promise<boolean>;
}

export function createUndelayedWills({ database: { db, connects }, clock }: ConnectionsDeps): UndelayedWills {
  const shared = { most: MOST_AT_ONCE, isOfAll: isUnavailable };
  const added = new RequestBatcher<DelayedWill, undefined>({
    ...shared,
    async run(wills) {
      await insertWills(connects, wills);
      return wills.map(() => undefined);
    },
  });
  const taken = new RequestBatcher<string, boolean>({
    ...shared,
    async run(sessionIds) {
      const ours = await takeWills(db, sessionIds);
      return sessionIds.map((sessionId) => ours.has(sessionId));
    },
  });
  return {
    keepWill: (will) => added.ask(will),
    takeWill: (sessionId) => taken.ask(sessionId),
    endEarlierWills: (ownerId, sessionId) => endEarlier(db, ownerId, sessionId, clock.now()),
    hasEarlierWill: (ownerId, sessionId) => hasEarlier(db, ownerId, sessionId),
  };
}
