import type { ChangePage, ChangePosition } from "./changes.ts";
import { covers } from "./snapshot.ts";

type Poll = (position: ChangePosition) => Promise<ChangePage>;

/** Lets followers of the same values at the same position share one query. */
export interface PollCoalescer {
  /** The shared position; `undefined` while there are no followers. */
  readonly position: ChangePosition | undefined;
  poll: Poll;
  /** Where a follower that has read everything up to `own` continues: at the shared position unless that is ahead. */
  join(own: ChangePosition): ChangePosition;
  /** No later poll receives the answer of a query that has begun: what it reads has changed. */
  forget(): void;
}

export function createPollCoalescer(read: Poll): PollCoalescer {
  let position: ChangePosition | undefined;
  /** The last shared query, and the position it began at. */
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
