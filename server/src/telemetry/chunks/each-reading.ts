/** Readings of one metric from one place: messages of one shape, or a chunk. */
export interface Source {
  /** Microseconds since 1970, ascending. */
  times: Float64Array;
  /** When several readings share a timestamp, the one with the highest sequence number wins. */
  seqs: Float64Array;
}

/** Visits the readings of several sources in time order, one per time. */
export function eachReading<S extends Source>(sources: readonly S[], visit: (source: S, at: number) => void): void {
  const some = sources.filter(({ times }) => times.length > 0).sort((a, b) => a.times[0]! - b.times[0]!);
  for (let first = 0; first < some.length; ) {
    let end = lastOf(some[first]!);
    let next = first + 1;
    for (; next < some.length && some[next]!.times[0]! <= end; next++) end = Math.max(end, lastOf(some[next]!));
    if (next === first + 1) for (let at = 0; at < some[first]!.times.length; at++) visit(some[first]!, at);
    else eachOfOverlapping(some.slice(first, next), visit);
    first = next;
  }
}

const lastOf = ({ times }: Source) => times.at(-1)!;

/**
 * Merges sources by sorting all their readings. The sort is fast because each source is already in order, even when a
 * hundred shapes share the metric.
 */
function eachOfOverlapping<S extends Source>(sources: readonly S[], visit: (source: S, at: number) => void): void {
  const all = sources.flatMap((source) => {
    return Array.from(source.times, (time, at) => ({ source, at, time, seq: source.seqs[at]! }));
  });
  all.sort((one, other) => one.time - other.time || one.seq - other.seq);
  for (let which = 0; which < all.length; which++) {
    const { source, at, time } = all[which]!;
    if (all[which + 1]?.time !== time) visit(source, at);
  }
}
