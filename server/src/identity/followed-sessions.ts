import type { Unlisten } from "../db/database.ts";
import { addMs, MINUTE } from "../lib/clock.ts";
import type { IdentityDeps } from "./deps.ts";
import { findOpenSessions } from "./open-sessions-store.ts";

/** The NOTIFY channel of ended sessions; its payload is the session's id. */
const CHANNEL = "muster_sessions";

/** What lasts as long as a session: live streams. */
export interface FollowedSessions {
  /**
   * Calls `ended` once when the session has ended: at once by NOTIFY, and at the next check when it has expired or a NOTIFY was lost.
   *
   * @returns a function that stops following
   */
  followSession(sessionId: string, ended: () => void): Promise<() => void>;
  /** Checks every followed session in one statement; called every ten seconds. */
  checkFollowedSessions(): Promise<void>;
  stopFollowing(): Promise<void>;
}

export function createFollowedSessions({
  database,
  clock,
  limits,
}: Pick<IdentityDeps, "database" | "clock" | "limits">): FollowedSessions {
  const followers = new Map<string, Set<() => void>>();
  let listening: Promise<Unlisten> | undefined;

  function listen(): Promise<Unlisten> {
    listening ??= database.listen(CHANNEL, end).catch((error) => {
      listening = undefined;
      throw error;
    });
    return listening;
  }

  function end(sessionId: string): void {
    const ending = followers.get(sessionId) ?? [];
    followers.delete(sessionId);
    for (const ended of ending) ended();
  }

  async function check(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const now = clock.now();
    const idleSince = addMs(now, -limits.sessionIdleMinutes * MINUTE);
    const open = await findOpenSessions(database.db, { ids, now, idleSince });
    for (const id of ids) if (!open.has(id)) end(id);
  }

  return {
    async followSession(sessionId, ended) {
      await listen();
      const ofSession = followers.get(sessionId) ?? new Set();
      followers.set(sessionId, ofSession.add(ended));
      // It may have ended between the check of the request and this.
      await check([sessionId]);
      return () => {
        ofSession.delete(ended);
        if (ofSession.size === 0 && followers.get(sessionId) === ofSession) followers.delete(sessionId);
      };
    },
    checkFollowedSessions: () => check([...followers.keys()]),
    stopFollowing: async () => await (await listening?.catch(() => undefined))?.(),
  };
}
