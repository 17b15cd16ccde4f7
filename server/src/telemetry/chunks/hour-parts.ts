import type { Tx } from "../../db/database.ts";
import { loadChunks, loadLaterParts } from "./chunk-store.ts";
import { type DeviceHour, HOUR_US, type HourSpan, spansOf } from "./device-hours-store.ts";
import { merged, rowsBetween } from "./hour-rows.ts";
import { loadRows, type ShapeRows } from "./hour-rows-store.ts";
import { ROW_BYTES, TEXT_FACTOR, VALUE_BYTES } from "./shape-widths-store.ts";

/** What a device has of one shape and retention in a part of an hour. */
export interface PartRows extends ShapeRows {
  /** Not all of them are in its chunk. */
  isChanged: boolean;
}

/** What a device has from one time to another of an hour. All shapes have the same parts, and an hour that is not too large is one. */
export interface HourPart extends HourSpan {
  shapes: PartRows[];
  /** Its chunks have rows of later parts. */
  isCut: boolean;
  /** These: they are in the next part. */
  rest: ShapeRows[];
}

/** A span of an hour that is read next. */
interface Reading extends HourSpan {
  /** Rows of its chunks; undefined: they are not read yet. */
  stored: readonly ShapeRows[] | undefined;
}

/**
 * What devices have in these hours, in rows of messages and in chunks: the parts of each in order, one of each hour at a time. A part that is in chunks is one
 * again, or becomes several when it has got too many rows. Nothing else computes these hours meanwhile.
 *
 * @param bytes about how much of an hour is read at once, all shapes together; a part has up to twice as much
 * @param spans of the hours, from where a part begins to the end of the hour
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

/** @param stored so many of them are of chunks. @param isWhole the part has all of these chunks */
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

/** Where a part ends that would have more than twice what is read at once: then it becomes two. */
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

/** What a column takes beside its values, in bytes that take as long. */
const COLUMN_BYTES = 160;

/** How long a part takes, in bytes that take as long. */
export function sizeOf({ shapes }: HourPart): number {
  const sizes = shapes.map((of) => of.rows.times.length * widthOf(of) + COLUMN_BYTES * of.metrics.length);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What a row takes in memory on average, where texts count as much less as more of them is read. */
function widthOf({ metrics, rows }: ShapeRows): number {
  const lengthOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);
  const texts = rows.texts.reduce((sum, column) => sum + lengthOf(column), 0);
  return ROW_BYTES + VALUE_BYTES * metrics.length + texts / TEXT_FACTOR / rows.times.length;
}
