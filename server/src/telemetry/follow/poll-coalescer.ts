import type { ChangePage, ChangePosition } from "./changes.ts";
import { covers } from "./snapshot.ts";

type Poll = (position: ChangePosition) => Promise<ChangePage>;

/** Lets followers of the same values at the same position share one query. */
export interface PollCoalescer {
  /** The shared position, or `undefined` while there are no followers. */
  readonly position: ChangePosition | undefined;
  poll: Poll;
  /**
   * Returns where a follower that has read everything up to `own` continues: the shared position unless that is ahead.
   */
  join(own: ChangePosition): ChangePosition;
  /** Keeps later polls from receiving the result of a running query, because the set of values to read has changed. */
  forget(): void;
}

export function createPollCoalescer(read: Poll): PollCoalescer {
  let position: ChangePosition | undefined;
  /** The last shared query, and its start position. */
  let last: Promise<ChangePage> | undefined;
  let lastFrom: ChangePosition | undefined;

  function pollShared(from: ChangePosition): Promise<ChangePage> {
    const polling = read(from);
    last = polling;
    lastFrom = from;
    polling.then(
      ({ next }) => {
        position = next;
      },
      () => {
        if (last === polling) last = undefined;
      },
    );
    return polling;
  }

  return {
    get position() {
      return position;
    },
    poll(from) {
      if (from === lastFrom && last) return last;
      return from === position ? pollShared(from) : read(from);
    },
    join(own) {
      if (own === position || own.pass) return own;
      position ??= own;
      return covers(own.snapshot, position.pass?.snapshot ?? position.snapshot) ? position : own;
    },
    forget() {
      last = undefined;
      lastFrom = undefined;
    },
  };
}
