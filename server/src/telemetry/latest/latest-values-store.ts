import { plainArray, textArray } from "../../db/array-literal.ts";
import { float8Array, timestampArray } from "../../db/binary-array.ts";
import { isWritten, type LatestChange } from "./device-latest.ts";
import { isUntouched, type PartChange, partsOf, valuesOf } from "./latest-parts.ts";

/**
 * The parameters of a statement that changes latest values: one entry per row, except that each row has a range of the
 * metric values.
 */
export interface LatestValues {
  uids: string;
  /** The numbers of the rows within their devices; empty if all are first rows. */
  parts: string;
  /** `t` if the row must be inserted. */
  additions: string;
  /** The version before the batch, and when the device was seen. Both are NULL in all but the first row of a device. */
  versions: string;
  seenAt: Buffer;
  latestTimes: Buffer;
  latestReceived: Buffer;
  /** The start and the number of the row's values; NULL if only the version changes. */
  firsts: string;
  counts: string;
  /** The start of its times, unless its metrics share one time. */
  timesFirst: string;
  receivedFirst: string;
  /** Array literals of names, kinds, flags, marks and texts; NULL if unchanged or not needed. */
  names: string;
  kinds: string;
  replaced: string;
  marks: string;
  texts: string;
  numbers: Buffer;
  times: Buffer;
  received: Buffer;
  /** The devices that were only seen, and when. */
  onlySeen: string;
  onlySeenAt: Buffer;
}

/** Builds the parameters, keeping the order of the devices in `all`. */
export function latestValues(all: readonly LatestChange[]): LatestValues {
  const parts = partsOf(all);
  const seen = all.filter((change) => !isWritten(change));
  return {
    ...valuesOfRows(parts),
    uids: plainArray(parts.map(({ change }) => change.deviceUid)),
    parts: sparse(parts.map(({ part }) => part || undefined)),
    additions: sparse(parts.map(({ isNew }) => (isNew ? "t" : undefined))),
    versions: plainArray(parts.map(({ change, part }) => (part === 0 ? change.latest.version : undefined))),
    seenAt: timestampArray(parts.map(({ change, part }) => (part === 0 ? change.seenAt : undefined))),
    names: sparse(parts.map((part) => (part.isReshaped ? textArray(valuesOf(part, "metrics")) : undefined))),
    kinds: sparse(parts.map((part) => (part.isReshaped ? valuesOf(part, "kinds").join("") : undefined))),
    replaced: sparse(parts.map(replacedOf)),
    marks: sparse(parts.map(marksOf)),
    texts: sparse(parts.map(textsOf)),
    onlySeen: plainArray(seen.map(({ deviceUid }) => deviceUid)),
    onlySeenAt: timestampArray(seen.map(({ seenAt }) => seenAt)),
  };
}

type RowValues = Pick<
  LatestValues,
  | "latestTimes"
  | "latestReceived"
  | "firsts"
  | "counts"
  | "timesFirst"
  | "receivedFirst"
  | "numbers"
  | "times"
  | "received"
>;

/** Concatenates the numbers and times of all rows, and records where those of each row start. */
function valuesOfRows(parts: readonly PartChange[]): RowValues {
  const numbers: number[] = [];
  const times: number[] = [];
  const received: number[] = [];
  const rows = parts.map((part) => {
    if (isUntouched(part)) return {};
    const timesOf = valuesOf(part, "times");
    const receivedOf = valuesOf(part, "receivedAt");
    const areTimesUniform = isUniform(timesOf);
    const isReceivedKnown = areTimesUniform ? isUniform(receivedOf) : receivedOf.every((at, i) => at === timesOf[i]);
    return {
      first: startOf(numbers, valuesOf(part, "numbers")),
      count: timesOf.length,
      timesFirst: areTimesUniform ? undefined : startOf(times, timesOf),
      receivedFirst: isReceivedKnown ? undefined : startOf(received, receivedOf),
    };
  });
  return {
    latestTimes: timestampArray(parts.map(({ change, from }) => change.latest.times[from] ?? change.seenAt)),
    latestReceived: timestampArray(parts.map(({ change, from }) => change.latest.receivedAt[from] ?? change.seenAt)),
    firsts: plainArray(rows.map(({ first }) => first)),
    counts: plainArray(rows.map(({ count }) => count)),
    timesFirst: sparse(rows.map((row) => row.timesFirst)),
    receivedFirst: sparse(rows.map((row) => row.receivedFirst)),
    numbers: float8Array(numbers),
    times: timestampArray(times),
    received: timestampArray(received),
  };
}

/** Appends `values`. @returns their start, counted from 1 */
function startOf(all: number[], values: readonly number[]): number {
  const first = all.length + 1;
  for (const value of values) all.push(value);
  return first;
}

function isUniform(values: readonly number[]): boolean {
  for (const value of values) if (value !== values[0]) return false;
  return true;
}

function replacedOf(part: PartChange): string | undefined {
  const replaced = valuesOf(part, "replaced");
  return replaced.includes(true) ? plainArray(replaced) : undefined;
}

/** Returns `t` for each changed metric, or `undefined` if all or none have changed. */
function marksOf({ from, to, changed }: PartChange): string | undefined {
  if (changed.length === to - from || changed.length === 0) return undefined;
  const marks = new Array<string>(to - from).fill("f");
  for (const place of changed) marks[place - from] = "t";
  return `{${marks.join(",")}}`;
}

function textsOf(part: PartChange): string | undefined {
  const { texts } = part.change;
  if (texts === undefined || !part.changed.some((place) => texts.has(place))) return undefined;
  return textArray(valuesOf(part, "metrics").map((_, index) => texts.get(part.from + index)));
}

/** Returns a text array literal, empty if every element is NULL. */
function sparse(elements: readonly (string | number | undefined)[]): string {
  if (elements.every((element) => element === undefined)) return "{}";
  return textArray(elements.map((element) => (element === undefined ? undefined : String(element))));
}
