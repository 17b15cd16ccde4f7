/** The part of a {@link History} that is a reading: its time in microseconds since 1970, and its number. */
export type Point = readonly [time: number, total: number];

/**
 * The past readings from which a change is measured. One reading is kept per tenth of the duration, the first. The
 * history is stored when a reading is added to it. It has at most 21 readings, some 700 bytes.
 */
export interface History {
  points: readonly Point[];
  /** The sum that a counter had reached before it was reset to 0. */
  offset?: number;
}

const SLOTS = 10;

/** The change between two readings. `us` is the time between them, in microseconds. */
export interface Change {
  by: number;
  us: number;
}

/**
 * Adds a reading to the history, and returns the change since the reading that is the duration older: the first one of
 * its tenth. After a gap that reading may be up to twice as old.
 *
 * @param history replaced, never changed in place
 * @param previous the number of the reading before, if that was a number
 * @returns `change` is `undefined` until the history reaches back far enough
 */
export function changeOf(
  history: History | undefined,
  { time, number, previous }: { time: number; number: number; previous: number | undefined },
  { overUs, counter }: { overUs: number; counter: boolean },
): { history: History; change: Change | undefined } {
  const slotUs = overUs / SLOTS;
  const slot = Math.floor(time / slotUs);
  const slotOf = ([at]: Point) => Math.floor(at / slotUs);
  let { points, offset = 0 } = history ?? { points: [] };
  if (counter && previous !== undefined && number < previous) offset += previous;
  const total = number + offset;
  const last = points.at(-1);
  if (last === undefined || slotOf(last) < slot) {
    const first = points.findLastIndex((point) => slotOf(point) <= slot - SLOTS);
    points = [...points.slice(Math.max(0, first)).filter((point) => slotOf(point) >= slot - 2 * SLOTS), [time, total]];
  }
  const from = points.findLast((point) => slotOf(point) <= slot - SLOTS);
  const next = offset === 0 ? { points } : { points, offset };
  return { history: next, change: from && { by: total - from[1], us: time - from[0] } };
}

/** Whether both are the same, so that a stored one need not be replaced. */
export function isSame(one: History | undefined, other: History): boolean {
  return one !== undefined && one.points === other.points && one.offset === other.offset;
}
