/** Between which bounds another machine's time, less the monotonic time of this one, was at `atMs` of the latter. In milliseconds. */
export interface OffsetBounds {
  readonly least: number;
  readonly most: number;
  readonly atMs: number;
}

/** The clocks of two machines run apart by less: NTP corrects by at most 500 ppm. */
const DRIFT = 0.001;

/** What is known after a further sample. Where the two contradict each other, the other clock was set: the later one counts. */
export function agree(known: OffsetBounds, fresh: OffsetBounds): OffsetBounds {
  const drift = Math.max(0, fresh.atMs - known.atMs) * DRIFT;
  const least = Math.max(known.least - drift, fresh.least);
  const most = Math.min(known.most + drift, fresh.most);
  return least <= most ? { least, most, atMs: fresh.atMs } : fresh;
}

/** The offset within the bounds that is closest to the present one: a clock steps no further than it must. */
export function offsetAt({ least, most }: OffsetBounds, present: number): number {
  return Math.min(Math.max(present, least), most);
}
