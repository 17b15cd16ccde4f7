import type { AccessDeps } from "../deps.ts";
import { compareClocks } from "./request-clock-store.ts";

/**
 * A millisecond clock for the rate limit, shared by all processes of one database. Each process counts on its own
 * monotonic clock, so wall-clock steps do not count as time. The greater count wins, so the clock never runs backwards.
 */
export interface RequestClock {
  now(): Promise<number>;
  /** Advances to `ms`, a count seen by another process. */
  advanceTo(ms: number): void;
  /** Compares with the other processes; called every few seconds, so that a starting process finds a recent count. */
  compare(): Promise<void>;
}

export function createRequestClock({ database, clock }: Pick<AccessDeps, "database" | "clock">): RequestClock {
  /** The lead of the count over this process's monotonic clock. */
  let lead: number | undefined;

  function raise(seen: number): void {
    if (lead === undefined || seen > lead) lead = seen;
  }

  async function compare(): Promise<void> {
    const asked = clock.monotonicMs();
    const own = lead === undefined ? null : lead + asked;
    const shared = await compareClocks(database.db, own, clock.now().getTime());
    // The first count belongs to the wall-clock reading before the query; later counts belong to the time of the
    // response.
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
