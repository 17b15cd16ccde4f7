import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { type DeviceHour, given, type HourSpan } from "./device-hours-store.ts";
import { type HourRows, inOrder, rowsAt } from "./hour-rows.ts";
import { doubleColumnsOf, longsOf, shortsOf, textColumnsOf, timesOf } from "./packed-columns.ts";

/** What a device has of one shape and retention in an hour, or a part of one. */
export interface ShapeRows {
  /** Which of the hours that were asked for. */
  which: number;
  shapeNo: number;
  metrics: readonly string[];
  /** A letter each: `n`, `b`, `t`. */
  kinds: string;
  retentionDays: number;
  rows: HourRows;
}

export interface LoadedRows {
  rows: ShapeRows[];
  /** Where rows of hours were left out, for being too many: which of the hours → the time, microseconds since 1970, before which they have all. */
  ends: ReadonlyMap<number, number>;
}

export const ROW_BYTES = 46;
export const VALUE_BYTES = 12;
const TEXT_BYTES = 1024;
/** Texts are most often much shorter than they may be: of the longest ones, so many times as much is read. */
export const TEXT_FACTOR = 4;
/** Of one time a shape has a row for each retention: with more rows than that there are several times. */
const LEAST_ROWS = 16;
const NOTHING = Buffer.alloc(0);

export interface ShapeColumns {
  which: number;
  shape_no: number;
  metrics: string[];
  kinds: string;
}

interface PackedRows extends ShapeColumns {
  most: number;
  times: Buffer;
  received: Buffer;
  seqs: Buffer;
  classes: Buffer;
  numbers: Buffer | null;
  texts: Buffer | null;
}

/**
 * The rows of messages that devices have in these spans, each span of another hour: the first of each shape, and all where they are not too many.
 *
 * @param bytes about how much of an hour is read, all shapes together
 */
export async function loadRows(
  tx: Tx,
  hours: readonly DeviceHour[],
  spans: readonly HourSpan[],
  bytes: number,
): Promise<LoadedRows> {
  const { rows: c, within } = given(hours, spans);
  const { rows: packed } = await sql<PackedRows>`
    SELECT c.which, s.shape_no, s.metrics, s.kinds, s.most, m.*
      FROM ${c} CROSS JOIN LATERAL (
      SELECT s.*, (least(${bytes}::integer / (${sql.lit(ROW_BYTES)} + ${sql.lit(VALUE_BYTES)} * cardinality(s.metrics)),
                         ${bytes}::integer / ${sql.lit(TEXT_BYTES)} * ${sql.lit(TEXT_FACTOR)} / greatest(length(s.kinds) - length(rtrim(s.kinds, 't')), 1))
                   / count(*) OVER ())::integer + ${sql.lit(LEAST_ROWS)} AS most
        FROM telemetry_shapes s WHERE s.device_uid = c.device_uid
         AND EXISTS (SELECT FROM telemetry_messages m WHERE m.shape_no = s.shape_no AND ${within(sql`m.ts`)} OFFSET 0)) s
     CROSS JOIN LATERAL (
      SELECT string_agg(timestamptz_send(m.ts), '') AS times, string_agg(timestamptz_send(coalesce(m.received_at, m.ts)), '') AS received,
             string_agg(int8send(m.seq), '') AS seqs, string_agg(int2send(m.retention_days), '') AS classes,
             string_agg(array_send(m.numbers), '') AS numbers, string_agg(array_send(m.texts), '') AS texts
        FROM (SELECT * FROM telemetry_messages m WHERE m.shape_no = s.shape_no AND ${within(sql`m.ts`)}
               ORDER BY m.ts LIMIT s.most) m) m`.execute(tx);
  const ends = new Map<number, number>();
  const rows = packed.flatMap(({ most, ...of }) => {
    const times = timesOf(of.times);
    if (times.length === most)
      ends.set(of.which, Math.min(ends.get(of.which) ?? Number.POSITIVE_INFINITY, times.at(-1)!));
    return ofRetentions(of, times);
  });
  return { rows, ends };
}

function ofRetentions(packed: Omit<PackedRows, "most">, times: Float64Array): ShapeRows[] {
  const all: HourRows = {
    times,
    received: timesOf(packed.received),
    seqs: longsOf(packed.seqs),
    numbers: doubleColumnsOf(packed.numbers ?? NOTHING, times.length),
    texts: textColumnsOf(packed.texts ?? NOTHING, times.length),
  };
  const classes = shortsOf(packed.classes);
  return [...new Set(classes)].map((days, _, { length }) => {
    const places = length === 1 ? undefined : Array.from(times.keys()).filter((at) => classes[at] === days);
    return shapeRows(packed, days, inOrder(places ? rowsAt(all, places) : all));
  });
}

export function shapeRows(
  { which, shape_no, metrics, kinds }: ShapeColumns,
  retentionDays: number,
  rows: HourRows,
): ShapeRows {
  return { which, shapeNo: shape_no, metrics, kinds, retentionDays, rows };
}
