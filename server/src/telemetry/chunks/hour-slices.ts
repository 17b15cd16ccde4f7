import type { Tx } from "../../db/database.ts";
import { loadChunks, loadLaterParts } from "./chunk-store.ts";
import { type DeviceHour, HOUR_US, type HourSpan, spansOf } from "./device-hours-store.ts";
import { merged, rowsBetween } from "./hour-rows.ts";
import { loadRows, type ShapeRows } from "./hour-rows-store.ts";
import { ROW_BYTES, TEXT_FACTOR, VALUE_BYTES } from "./shape-widths-store.ts";

/** A device's rows of one shape and retention in a part of an hour. */
export interface PartRows extends ShapeRows {
  /** Whether some rows are not in the chunk yet. */
  isChanged: boolean;
}

/**
 * A device's rows in a part of an hour. All shapes share the same parts, and an hour that is not too large is one part.
 */
export interface HourPart extends HourSpan {
  shapes: PartRows[];
  /** Whether its chunks contain rows that belong to later parts. */
  isCut: boolean;
  /** Those rows; the next part includes them. */
  rest: ShapeRows[];
}

/** A span of an hour to read next. */
interface Reading extends HourSpan {
  /** The rows of its chunks, or undefined before they are read. */
  stored: readonly ShapeRows[] | undefined;
}

/**
 * Yields the parts of device hours in order, one part per hour at a time, from message rows and chunks. A stored part
 * stays one part unless it has grown too large; then it is split. The caller must ensure that nothing else computes
 * these hours.
 *
 * @param bytes the approximate size to read of an hour at once, all shapes together; a part has up to twice as much
 * @param spans of the hours, each from the start of a part to the end of the hour
 */
export async function* partsOf(
  tx: Tx,
  hours: readonly DeviceHour[],
  bytes: number,
  spans = spansOf(hours),
): AsyncGenerator<HourPart[]> {
  const later = await loadLaterParts(tx, hours);
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
    const parts = reading.map((span): HourPart => {
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
    yield parts;
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
 * @param isWhole whether the part contains all rows of these chunks
 */
function joined(found: readonly ShapeRows[], stored: number, end: number, isWhole: boolean): PartRows[] {
  const parts = new Map<string, PartRows>();
  for (const [place, all] of found.entries()) {
    const part = between(all, Number.NEGATIVE_INFINITY, end);
    if (part.rows.times.length === 0) continue;
    const key = `${part.shapeNo} ${part.retentionDays}`;
    const before = parts.get(key);
    const rows = before === undefined ? part.rows : merged(before.rows, part.rows);
    parts.set(key, { ...part, rows, isChanged: place >= stored || !isWhole });
  }
  return [...parts.values()];
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

/** The cost of a column beside its values, as the number of bytes that take as long. */
const COLUMN_BYTES = 160;

/** Estimates the cost of a part, as the number of bytes that take as long. */
export function sizeOf({ shapes }: HourPart): number {
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
