import { type Clock, SECOND } from "../../lib/clock.ts";

/** A device that sends messages again sends more of them: for so long after one, batches replace readings that are stored already. */
const EXPECTED_MS = 10 * SECOND;

/** Whether messages are expected that were stored before, as after a connection was lost. */
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
