import { type Clock, MINUTE, SECOND } from "../../lib/clock.ts";
import type { Place } from "./place.ts";

const FIRST_PAUSE_MS = 10 * SECOND;
const LONGEST_PAUSE_MS = 5 * MINUTE;
/** The maximum number of queues that a process remembers. Beyond it, the one that failed longest ago is dropped. */
const MOST_QUEUES = 10_000;

/** Tracks which queues fail. Each process does so separately, so after a restart a target is tried immediately. */
export interface CircuitBreaker {
  /** Records the result of an attempt. */
  record(place: Place, succeeded: boolean): void;
  /** Returns the queues whose last attempt failed. Nothing is currently sent from a `paused` one. */
  failing(): (Place & { paused: boolean })[];
  /**
   * Counts the queues that have failed often enough to be paused, or to have been within the last 5 min, without a
   * success since. Older failures say little, because another process may have delivered the messages.
   */
  open(): number;
}

interface Failing extends Place {
  inARow: number;
  /** A time of the monotonic clock. */
  pausedUntilMs: number;
}

/**
 * Creates a breaker that pauses a queue after `failures` failed attempts in a row: for 10 s, doubling with every
 * further failure up to 5 min. Then the queue is tried again. A success resets it.
 */
export function createCircuitBreaker(failures: number, clock: Pick<Clock, "monotonicMs">): CircuitBreaker {
  const queues = new Map<string, Failing>();

  return {
    record({ tenantId, queue }, succeeded) {
      const inARow = succeeded ? 0 : (queues.get(queue)?.inARow ?? 0) + 1;
      queues.delete(queue);
      if (succeeded) return;
      queues.set(queue, { tenantId, queue, inARow, pausedUntilMs: clock.monotonicMs() + pauseMs(inARow - failures) });
      if (queues.size > MOST_QUEUES) queues.delete(queues.keys().next().value!);
    },
    failing() {
      const now = clock.monotonicMs();
      return [...queues.values()].map(({ tenantId, queue, pausedUntilMs }) => ({
        tenantId,
        queue,
        paused: pausedUntilMs > now,
      }));
    },
    open() {
      const endedLongAgo = clock.monotonicMs() - LONGEST_PAUSE_MS;
      const isOpen = ({ inARow, pausedUntilMs }: Failing) => inARow >= failures && pausedUntilMs > endedLongAgo;
      return [...queues.values()].filter(isOpen).length;
    },
  };
}

/** @param further the number of failures since the one that paused the queue; negative if it is not paused yet */
function pauseMs(further: number): number {
  return further < 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** Math.min(further, 30), LONGEST_PAUSE_MS);
}
