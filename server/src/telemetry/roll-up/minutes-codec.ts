import { ByteReader, ByteWriter } from "../chunks/bytes.ts";
import { decodeColumn, encodeColumn } from "../chunks/column-codec.ts";
import { type Bucket, bounded } from "./buckets.ts";

const MINUTE_US = 60_000_000;

/** Every minute has one reading: the columns are the minutes and their numbers. */
const SINGLE = 1;
/** Adds columns of counts and maxima. Totals are omitted, since they follow from one or two readings. */
const PAIRS = 2;
/** Adds a column of totals. */
const SEVERAL = 3;

/**
 * Encodes the minutes of one metric in an hour, or a slice of one, column by column. An hour takes some 80 bytes if a
 * device sends a number with few decimals once a minute. With more than two readings per minute it takes some 600,
 * because totals do not compress well.
 *
 * @param minutes in order, at least one
 * @param hour the start of the hour, in microseconds since 1970
 */
export function encodeMinutes(minutes: readonly Bucket[], hour: number): Uint8Array {
  const out = new ByteWriter();
  const column = (of: (minute: Bucket) => number) => out.bytes(encodeColumn(Float64Array.from(minutes, of), true));
  const kind = kindOf(minutes);
  out.byte(kind);
  out.byte(minutes.length);
  column(({ at }) => (at - hour) / MINUTE_US);
  column(({ lowest }) => lowest);
  if (kind === SINGLE) return out.written();
  column(({ readings }) => readings);
  column(({ highest }) => highest);
  if (kind === SEVERAL) column(({ total }) => total);
  return out.written();
}

function kindOf(minutes: readonly Bucket[]): number {
  if (minutes.every(({ readings }) => readings === 1)) return SINGLE;
  const follows = ({ lowest, highest, total, readings }: Bucket) =>
    Object.is(total, totalOf(lowest, highest, readings));
  return minutes.every(follows) ? PAIRS : SEVERAL;
}

/** Returns the total of one reading or two. */
function totalOf(lowest: number, highest: number, readings: number): number {
  return readings === 1 ? bounded(lowest) : bounded(lowest) + bounded(highest);
}

/**
 * Decodes the minutes of one metric in an hour, or a slice of one, in order.
 *
 * @param hour the start of the hour, in microseconds since 1970
 * @throws Error if a later version wrote the minutes
 */
export function decodeMinutes(packed: Uint8Array, hour: number): Bucket[] {
  const from = new ByteReader(packed);
  const kind = from.byte();
  if (kind < SINGLE || kind > SEVERAL)
    throw new Error(`a newer version of this service wrote the minutes (kind ${kind})`);
  const count = from.byte();
  const column = () => decodeColumn(from.bytes(), count);
  const [places, lowest] = [column(), column()];
  const [readings, highest] = kind === SINGLE ? [undefined, lowest] : [column(), column()];
  const totals = kind === SEVERAL ? column() : undefined;
  return Array.from(places, (place, at): Bucket => {
    const of = { lowest: lowest[at]!, highest: highest[at]!, readings: readings?.[at] ?? 1 };
    return { at: hour + place * MINUTE_US, ...of, total: totals?.[at] ?? totalOf(of.lowest, of.highest, of.readings) };
  });
}
