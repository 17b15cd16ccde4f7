import type { AccessDeps } from "../deps.ts";
import { compareClocks } from "./request-clock-store.ts";

/**
 * A millisecond clock shared by all processes of one database, for the rate limit. Each process counts on its own monotonic
 * clock, so a step of a wall clock is not counted as time; the greater count wins, so the clock never runs backwards.
 */
export interface RequestClock {
  now(): Promise<number>;
  /** Another process has counted to `ms`. */
  advanceTo(ms: number): void;
  /** Compares with the other processes; called every few seconds, so that a starting process finds a recent count. */
  compare(): Promise<void>;
}

export function createRequestClock({ database, clock }: Pick<AccessDeps, "database" | "clock">): RequestClock {
  /** How far the count is ahead of this process's monotonic clock. */
  let lead: number | undefined;

  function raise(seen: number): void {
    if (lead === undefined || seen > lead) lead = seen;
  }

  async function compare(): Promise<void> {
    const asked = clock.monotonicMs();
    const own = lead === undefined ? null : lead + asked;
    const shared = await compareClocks(database.db, own, clock.now().getTime());
    // The first count belongs to the time of the wall-clock reading, before the query; later ones to the time of the answer.
    raise(shared - (own === null ? asked : clock.monotonicMs()));
  }

  return {
    async now() {
      if (lead === undefined) await compare();
      return lead! + clock.monotonicMs();
    },
    advanceTo: (ms) => raise(ms - clock.monotonicMs()),
    compare,
  };
}
