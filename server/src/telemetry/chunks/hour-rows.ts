/**
 * Message rows of one shape in an hour or a slice of one, by column and in time order. Times are microseconds since
 * 1970.
 */
export interface HourRows {
  times: Float64Array;
  received: Float64Array;
  /** When rows of a device share a time, the highest sequence number wins. */
  seqs: Float64Array;
  /** One column per metric that is not a text, in the order of the shape. */
  numbers: Float64Array[];
  /** One column per text metric. */
  texts: string[][];
}

/** Sorts rows by time. */
export function inOrder(rows: HourRows): HourRows {
  const { times } = rows;
  if (times.every((time, at) => at === 0 || times[at - 1]! < time)) return rows;
  const places = Array.from(times.keys()).sort((a, b) => times[a]! - times[b]! || rows.seqs[a]! - rows.seqs[b]!);
  return rowsAt(rows, places);
}

/** Selects the rows at the given positions. */
export function rowsAt({ times, received, seqs, numbers, texts }: HourRows, places: readonly number[]): HourRows {
  const at = (column: Float64Array) => Float64Array.from(places, (place) => column[place]!);
  return {
    times: at(times),
    received: at(received),
    seqs: at(seqs),
    numbers: numbers.map(at),
    texts: texts.map((column) => places.map((place) => column[place]!)),
  };
}

/** Keeps one row per time: the last, which has the highest `seq`. Expects rows in time order. */
export function distinct(rows: HourRows): HourRows {
  const { times } = rows;
  const last = Array.from(times.keys()).filter((at) => times[at] !== times[at + 1]);
  return last.length === times.length ? rows : rowsAt(rows, last);
}

/** Merges rows of one shape and retention. The higher `seq` wins a shared time. */
export function merged(one: HourRows, other: HourRows): HourRows {
  const both: HourRows = {
    times: joined(one.times, other.times),
    received: joined(one.received, other.received),
    seqs: joined(one.seqs, other.seqs),
    numbers: one.numbers.map((column, place) => joined(column, other.numbers[place]!)),
    texts: one.texts.map((column, place) => [...column, ...other.texts[place]!]),
  };
  return distinct(inOrder(both));
}

function joined(one: Float64Array, other: Float64Array): Float64Array {
  const both = new Float64Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** Returns the rows in [from, to). Expects rows in time order. */
export function rowsBetween(rows: HourRows, from: number, to: number): HourRows {
  const [first, past] = [placeOf(rows.times, from), placeOf(rows.times, to)];
  if (first === 0 && past === rows.times.length) return rows;
  const slice = (column: Float64Array) => column.subarray(first, past);
  return {
    times: slice(rows.times),
    received: slice(rows.received),
    seqs: slice(rows.seqs),
    numbers: rows.numbers.map(slice),
    texts: rows.texts.map((column) => column.slice(first, past)),
  };
}

/** Returns the first position whose time is at or after `time`. */
export function placeOf(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
