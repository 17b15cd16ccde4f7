export interface Point {
  /** Milliseconds. */
  at: number;
  value: number;
}

export interface Line {
  times: number[];
  values: (number | null)[];
}

/** A line through `points` that is interrupted where two of them are further apart than `mostMs`: nothing was measured between them. */
export function withGaps(points: readonly Point[], mostMs: number): Line {
  const line: Line = { times: [], values: [] };
  let last: Point | undefined;
  for (const point of points) {
    if (last && point.at - last.at > mostMs) {
      line.times.push(last.at + 1);
      line.values.push(null);
    }
    line.times.push(point.at);
    line.values.push(point.value);
    last = point;
  }
  return line;
}

/** The indexes of values without a neighbour: a line does not show them. */
export function lonely(values: ArrayLike<number | null | undefined>): number[] {
  const is = (at: number) => values[at] !== null && values[at] !== undefined;
  return Array.from(values, (_, at) => at).filter((at) => is(at) && !is(at - 1) && !is(at + 1));
}
