import { type Clock, SECOND } from "../../lib/clock.ts";

/**
 * How long to expect repeats after one: a device that sends one message again usually sends more, so batches replace
 * stored readings.
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
