import type { AccessDeps } from "./deps.ts";
import { compareClocks } from "./request-clock-store.ts";

/**
 * Milliseconds that all processes of one database count alike, for the rate limit. Each counts on its own steady clock, so
 * that no step of a wall clock passes for time; what they disagree in is settled upwards, so that the count never runs back.
 */
export interface RequestClock {
  now(): Promise<number>;
  /** Another process has counted to `ms` by now. */
  learn(ms: number): void;
  /** Compares with the other processes; done every few seconds, so that one that starts finds a fresh count. */
  compare(): Promise<void>;
}

export function createRequestClock({ database, clock }: Pick<AccessDeps, "database" | "clock">): RequestClock {
  /** How far the count is ahead of this process's steady clock. */
  let lead: number | undefined;

  function raise(seen: number): void {
    if (lead === undefined || seen > lead) lead = seen;
  }

  async function compare(): Promise<void> {
    const asked = clock.monotonicMs();
    const own = lead === undefined ? null : lead + asked;
    const shared = await compareClocks(database.db, own, clock.now().getTime());
    // The first count is that of the wall's reading, taken when it was asked; any later one may be as old as the answer.
    raise(shared - (own === null ? asked : clock.monotonicMs()));
  }

  return {
    async now() {
      if (lead === undefined) await compare();
      return lead! + clock.monotonicMs();
    },
    learn: (ms) => raise(ms - clock.monotonicMs()),
    compare,
  };
}
