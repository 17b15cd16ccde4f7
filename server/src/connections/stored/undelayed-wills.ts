import { isUnavailable } from "../../db/refusal.ts";
import { RequestBatcher } from "../../lib/batching/request-batcher.ts";
import type { ConnectionsDeps } from "../deps.ts";
import { endEarlier, hasEarlier, insertWills, type StoredWill, takeWills } from "./will-store.ts";

const MOST_AT_ONCE = 64;

/**
 * Wills without a delay of connected clients. The process that has the connection publishes its will; the stored copy
 * is for the case that this process crashes. Every function rejects if the database fails.
 */
export interface UndelayedWills {
  /** Stores the will of a connection. */
  keepWill(will: StoredWill): Promise<void>;
  /**
   * Deletes the will of a connection that has ended.
   *
   * @returns whether this process must publish it; otherwise it is void, or another process publishes it
   */
  takeWill(sessionId: string): Promise<boolean>;
  /**
   * Makes the remaining wills of an owner's earlier connections due: the processes that had them have ended or
   * published nothing.
   */
  endEarlierWills(ownerId: string, sessionId: string): Promise<void>;
  /** Returns whether a will of an earlier connection has yet to be published. */
  hasEarlierWill(ownerId: string, sessionId: string): Promise<boolean>;
}

export function createUndelayedWills({ database: { db, connects }, clock }: ConnectionsDeps): UndelayedWills {
  const shared = { most: MOST_AT_ONCE, failsWholeBatch: isUnavailable };
  const added = new RequestBatcher<StoredWill, undefined>({
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
