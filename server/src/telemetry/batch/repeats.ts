import { type Clock, SECOND } from "../../lib/clock.ts";

/**
 * After one repeated message, batches replace stored rows for this long, because more repeats usually follow.
 */
const EXPECTED_MS = 10 * SECOND;

/** Whether repeats of stored messages are expected, for example after a lost connection. */
export interface Repeats {
  record(): void;
  readonly areExpected: boolean;
}

export function createRepeats(clock: Pick<Clock, "monotonicMs">): Repeats {
  let until = Number.NEGATIVE_INFINITY;
  return {
    record() {
      until = clock.monotonicMs() + EXPECTED_MS;
    },
    get areExpected() {
      return clock.monotonicMs() < until;
    },
  };
}
