/**
 * The bounds of another machine's time minus this machine's monotonic time, as of `atMs` of the latter. In
 * milliseconds.
 */
export interface OffsetBounds {
  readonly least: number;
  readonly most: number;
  readonly atMs: number;
}

/** The maximum relative drift of two machines' clocks: NTP corrects by at most 500 ppm. */
const DRIFT = 0.001;

/**
 * Combines the known bounds with those of a new sample. If they contradict each other, the other clock was set, and the
 * newer bounds win.
 */
export function agree(known: OffsetBounds, fresh: OffsetBounds): OffsetBounds {
  const drift = Math.max(0, fresh.atMs - known.atMs) * DRIFT;
  const least = Math.max(known.least - drift, fresh.least);
  const most = Math.min(known.most + drift, fresh.most);
  return least <= most ? { least, most, atMs: fresh.atMs } : fresh;
}

/**
 * Returns the offset within the bounds that is closest to the present one, so that the clock steps no further than
 * necessary.
 */
export function offsetAt({ least, most }: OffsetBounds, present: number): number {
  return Math.min(Math.max(present, least), most);
}
