/** Rows of messages of one shape, of an hour or a part of one, in order of their times; column by column. Times are microseconds since 1970. */
export interface HourRows {
  times: Float64Array;
  received: Float64Array;
  /** Of rows of one device and time the one with the higher number counts. */
  seqs: Float64Array;
  /** Of each metric that is no text, in the order of the shape. */
  numbers: Float64Array[];
  /** Of the others. */
  texts: string[][];
}

/** The rows in order of their times. */
export function inOrder(rows: HourRows): HourRows {
  const { times } = rows;
  if (times.every((time, at) => at === 0 || times[at - 1]! < time)) return rows;
  const places = Array.from(times.keys()).sort((a, b) => times[a]! - times[b]! || rows.seqs[a]! - rows.seqs[b]!);
  return rowsAt(rows, places);
}

/** The rows at some places. */
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

/** Rows in order of their times: of several for one time the last, which has the highest `seq`. */
export function distinct(rows: HourRows): HourRows {
  const { times } = rows;
  const last = Array.from(times.keys()).filter((at) => times[at] !== times[at + 1]);
  return last.length === times.length ? rows : rowsAt(rows, last);
}

/** Rows of one shape and retention together: of the same time there is one, that with the higher `seq`. */
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

/** The rows of [from, to), of rows in order of their times. */
export function rowsBetween(rows: HourRows, from: number, to: number): HourRows {
  const [first, past] = [placeOf(rows.times, from), placeOf(rows.times, to)];
  if (first === 0 && past === rows.times.length) return rows;
  const part = (column: Float64Array) => column.subarray(first, past);
  return {
    times: part(rows.times),
    received: part(rows.received),
    seqs: part(rows.seqs),
    numbers: rows.numbers.map(part),
    texts: rows.texts.map((column) => column.slice(first, past)),
  };
}

/** The first place whose time is not before `time`. */
export function placeOf(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
