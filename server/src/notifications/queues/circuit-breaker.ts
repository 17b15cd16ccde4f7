import { type Clock, MINUTE, SECOND } from "../../lib/clock.ts";
import type { Place } from "./place.ts";

const FIRST_PAUSE_MS = 10 * SECOND;
const LONGEST_PAUSE_MS = 5 * MINUTE;
/** Queues that a process remembers; above this number it forgets the one that failed longest ago. */
const MOST_QUEUES = 10_000;

/** Which queues fail. Each process records it for itself: after a restart a target is tried again at once. */
export interface CircuitBreaker {
  /** Records the result of an attempt. */
  record(place: Place, succeeded: boolean): void;
  /** Queues whose last attempt failed; nothing is sent from a `paused` one now. */
  failing(): (Place & { paused: boolean })[];
  /**
   * How many queues have failed so often that they are paused, or were within the last 5 min and have not succeeded since. Older
   * failures say little: another process may have delivered the messages.
   */
  open(): number;
}

interface Failing extends Place {
  inARow: number;
  /** Of the monotonic clock. */
  pausedUntilMs: number;
}

/**
 * After `failures` failed attempts in a row a queue is paused: 10 s, doubling with every further failure up to 5 min. Then it is
 * tried again; a success ends it.
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

/** @param further failures since the one that paused the queue; below 0 it is not paused yet */
function pauseMs(further: number): number {
  return further < 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** Math.min(further, 30), LONGEST_PAUSE_MS);
}
