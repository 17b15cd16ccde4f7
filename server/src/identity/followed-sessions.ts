import { addMs, MINUTE } from "../lib/clock.ts";
import { createFollowedIds, type FollowedIds } from "../lib/following/followed-ids.ts";
import type { IdentityDeps } from "./deps.ts";
import { findOpenSessions } from "./open-sessions-store.ts";

/** The NOTIFY channel of ended sessions; its payload is the session's id. */
const CHANNEL = "muster_sessions";

/** Follows sessions, for live streams that end with their session. */
export interface FollowedSessions {
  followSession: FollowedIds["follow"];
  checkFollowedSessions: FollowedIds["check"];
  stopFollowing: FollowedIds["stop"];
}

export function createFollowedSessions({
  database,
  clock,
  limits,
}: Pick<IdentityDeps, "database" | "clock" | "limits">): FollowedSessions {
  const { follow, check, stop } = createFollowedIds({
    listen: (end) => database.listen(CHANNEL, end),
    findOpen: async (ids) => {
      const now = clock.now();
      const idleSince = addMs(now, -limits.sessionIdleMinutes * MINUTE);
      return await findOpenSessions(database.db, { ids, now, idleSince });
    },
  });
  return { followSession: follow, checkFollowedSessions: check, stopFollowing: stop };
}
