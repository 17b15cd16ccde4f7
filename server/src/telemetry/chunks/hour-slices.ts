import type { Tx } from "../../db/database.ts";
import { loadChunks, loadLaterSlices } from "./chunk-store.ts";
import { type DeviceHour, HOUR_US, type HourSpan, spansOf } from "./device-hours-store.ts";
import { merged, rowsBetween } from "./hour-rows.ts";
import { loadRows, type ShapeRows } from "./hour-rows-store.ts";
import { ROW_BYTES, TEXT_FACTOR, VALUE_BYTES } from "./shape-widths-store.ts";

/** A device's rows of one shape and retention in a slice of an hour. */
export interface SliceRows extends ShapeRows {
  /** Whether some rows are not in the chunk yet. */
  isChanged: boolean;
}

/**
 * A device's rows in a slice of an hour. All shapes share the same slices, and an hour that is not too large is one
 * slice.
 */
export interface HourSlice extends HourSpan {
  shapes: SliceRows[];
  /** Whether its chunks contain rows that belong to later slices. */
  isCut: boolean;
  /** Those rows; the next slice includes them. */
  rest: ShapeRows[];
}

/** A span of an hour to read next. */
interface Reading extends HourSpan {
  /** The rows of its chunks, or undefined before they are read. */
  stored: readonly ShapeRows[] | undefined;
}

/**
 * Yields the slices of device hours in order, one slice per hour at a time, from message rows and chunks. A stored
 * slice stays one slice unless it has grown too large; then it is split. The caller must ensure that nothing else
 * computes these hours.
 *
 * @param bytes the approximate size to read of an hour at once, all shapes together; a slice has up to twice as much
 * @param spans of the hours, each from the start of a slice to the end of the hour
 */
export async function* slicesOf(
  tx: Tx,
  hours: readonly DeviceHour[],
  bytes: number,
  spans = spansOf(hours),
): AsyncGenerator<HourSlice[]> {
  const later = await loadLaterSlices(tx, hours);
  const endOf = (which: number, from: number, last: number) => later.get(which)?.find((start) => start > from) ?? last;
  let reading: Reading[] = spans.map(({ which, from, to }) => {
    return { which, from, to: endOf(which, from, to), stored: undefined };
  });
  while (reading.length > 0) {
    const chunks = await loadChunks(
      tx,
      hours,
      reading.filter(({ stored }) => stored === undefined),
    );
    const { rows, ends } = await loadRows(tx, hours, reading, bytes);
    const [storedOf, rowsOf] = [chunks, rows].map((of) => Map.groupBy(of, ({ which }) => which)) as [Groups, Groups];
    const next: Reading[] = [];
    const slices = reading.map((span): HourSlice => {
      const { which, from, to } = span;
      const stored = span.stored ?? storedOf.get(which) ?? [];
      const found = [...stored, ...(rowsOf.get(which) ?? [])];
      const end = Math.min(to, ends.get(which) ?? to, endWithin(found, bytes));
      const hourEnd = hours[which]!.hour.getTime() * 1_000 + HOUR_US;
      const rest = end < to ? stored.map((rows) => between(rows, end, to)) : [];
      if (end < to) next.push({ which, from: end, to, stored: rest });
      else if (to < hourEnd) next.push({ which, from: to, to: endOf(which, to, hourEnd), stored: undefined });
      const isWhole = span.stored === undefined && end === to;
      return { which, from, to: end, shapes: joined(found, stored.length, end, isWhole), isCut: end < to, rest };
    });
    yield slices;
    reading = next;
  }
}

type Groups = Map<number, ShapeRows[]>;

function between(rows: ShapeRows, from: number, to: number): ShapeRows {
  return { ...rows, rows: rowsBetween(rows.rows, from, to) };
}

/**
 * Joins rows by shape and retention.
 *
 * @param stored the number of leading entries of `found` that come from chunks
 * @param isWhole whether the slice contains all rows of these chunks
 */
function joined(found: readonly ShapeRows[], stored: number, end: number, isWhole: boolean): SliceRows[] {
  const slices = new Map<string, SliceRows>();
  for (const [place, all] of found.entries()) {
    const slice = between(all, Number.NEGATIVE_INFINITY, end);
    if (slice.rows.times.length === 0) continue;
    const key = `${slice.shapeNo} ${slice.retentionDays}`;
    const before = slices.get(key);
    const rows = before === undefined ? slice.rows : merged(before.rows, slice.rows);
    slices.set(key, { ...slice, rows, isChanged: place >= stored || !isWhole });
  }
  return [...slices.values()];
}

/** Returns the end of the first half if the rows exceed twice the size that is read at once. */
function endWithin(found: readonly ShapeRows[], bytes: number): number {
  const some = found.filter(({ rows }) => rows.times.length > 0).map((of) => ({ ...of, width: widthOf(of) }));
  const all = some.reduce((sum, { rows, width }) => sum + rows.times.length * width, 0);
  if (all <= 2 * bytes) return Number.POSITIVE_INFINITY;
  const sizes = some.flatMap(({ rows, width }) => Array.from(rows.times, (time) => ({ time, bytes: width })));
  sizes.sort((a, b) => a.time - b.time);
  let sum = 0;
  const past = sizes.find((row) => {
    sum += row.bytes;
    return sum > all / 2 && row.time > sizes[0]!.time;
  });
  return past?.time ?? Number.POSITIVE_INFINITY;
}

/** The cost of a column in addition to its values, as the number of bytes that take as long. */
const COLUMN_BYTES = 160;

/** Estimates the cost of a slice, as the number of bytes that take as long. */
export function sizeOf({ shapes }: HourSlice): number {
  const sizes = shapes.map((of) => of.rows.times.length * widthOf(of) + COLUMN_BYTES * of.metrics.length);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Returns the average size of a row in memory. Texts count less, because `TEXT_FACTOR` times as much of them is read.
 */
function widthOf({ metrics, rows }: ShapeRows): number {
  const lengthOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);
  const texts = rows.texts.reduce((sum, column) => sum + lengthOf(column), 0);
  return ROW_BYTES + VALUE_BYTES * metrics.length + texts / TEXT_FACTOR / rows.times.length;
}
