import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { endPastSilences, findSilent, openSilence } from "./silence-store.ts";

export interface SilenceDeps {
  database: Pick<Database, "db">;
  clock: Clock;
  ids: Ids;
}

/** As many as one statement opens. */
const AT_ONCE = 1_000;

/**
 * Makes the look at devices that have fallen silent (`silentForSeconds` of their type), to be taken every few seconds by every
 * process. Time counts from when this process began to listen, and anew from when the database is there again: after an outage of
 * ours nobody is accused of it.
 */
export function createSilenceWatch({ database, clock, ids }: SilenceDeps): () => Promise<void> {
  let listeningSince = clock.now();

  async function look(now: Date): Promise<void> {
    await endPastSilences(database.db, now);
    for (;;) {
      const uids = await findSilent(database.db, now, listeningSince, AT_ONCE);
      if (uids.length === 0) return;
      await openSilence(
        database.db,
        uids,
        uids.map(() => ids.uuid(now)),
        now,
        listeningSince,
      );
      if (uids.length < AT_ONCE) return;
    }
  }

  /** The last look failed: what devices have said since may be waiting to be stored. */
  let deaf = false;
  return async () => {
    const now = clock.now();
    if (deaf) listeningSince = now;
    deaf = false;
    await look(now).catch((error: unknown) => {
      deaf = true;
      throw error;
    });
  };
}
