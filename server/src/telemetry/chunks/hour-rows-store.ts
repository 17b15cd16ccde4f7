import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { type DeviceHour, given, type HourSpan } from "./device-hours-store.ts";
import { type HourRows, inOrder, placeOf, rowsAt } from "./hour-rows.ts";
import { doubleColumnsOf, longsOf, shortsOf, textColumnsOf, timesOf } from "./packed-columns.ts";
import { SHAPES } from "./shape-widths-store.ts";
import { findEnd } from "./slice-end-store.ts";

/** A device's rows of one shape and retention in an hour or a slice of one. */
export interface ShapeRows {
  /** The index of the requested hour. */
  which: number;
  shapeNo: number;
  metrics: readonly string[];
  /** One letter per metric: `n`, `b` or `t`. */
  kinds: string;
  retentionDays: number;
  rows: HourRows;
}

export interface LoadedRows {
  rows: ShapeRows[];
  /**
   * Maps the index of each truncated hour to the time, in microseconds since 1970, before which its rows are complete.
   */
  ends: ReadonlyMap<number, number>;
}

/** A shape has one row per retention at any one time, so this many rows cover several times. */
const LEAST_ROWS = 16;
const NOTHING = Buffer.alloc(0);

export interface ShapeColumns {
  which: number;
  shape_no: number;
  metrics: string[];
  kinds: string;
}

interface PackedRows extends ShapeColumns {
  /** The approximate size of a row in bytes. */
  width: number;
  /** The maximum number of rows to read, or null for all. */
  most: number | null;
  times: Buffer;
  received: Buffer;
  seqs: Buffer;
  classes: Buffer;
  numbers: Buffer | null;
  texts: Buffer | null;
}

/**
 * Loads the message rows of devices in these spans, each span in another hour. Large shapes are cut to their first
 * rows.
 *
 * @param bytes the approximate size to read of an hour, all shapes together
 */
export async function loadRows(
  tx: Tx,
  hours: readonly DeviceHour[],
  spans: readonly HourSpan[],
  bytes: number,
): Promise<LoadedRows> {
  const packed = await loadPacked(tx, hours, spans, firstOf(bytes));
  const found = Map.groupBy(packed, ({ which }) => which);
  const ends = new Map<number, number>();
  for (const [which, shapes] of found) {
    const end = Math.min(...shapes.map(({ most, times }) => (times.length === most ? times.at(-1)! : Infinity)));
    if (end === Infinity) continue;
    ends.set(which, end);
    const known = { end, bytes: bytesBefore(shapes, end) };
    if (known.bytes >= bytes / 2) continue;
    // The largest of many shapes ended the slice although the others have hardly any rows, so it can end later.
    const span = spans.find((of) => of.which === which)!;
    const to = await findEnd(tx, hours, span, bytes, known);
    found.set(which, await loadPacked(tx, hours, [{ ...span, to }], ALL));
    ends.set(which, to);
  }
  return { rows: [...found.values()].flat().flatMap(ofRetentions), ends };
}

function bytesBefore(shapes: readonly Shape[], end: number): number {
  return shapes.reduce((sum, { width, times }) => sum + width * placeOf(times, end), 0);
}

type Shape = Omit<PackedRows, "times"> & { times: Float64Array };

/** Returns the maximum number of rows to read of a shape `s`: an equal share among the shapes of its device. */
const firstOf = (bytes: number) =>
  sql`(${bytes}::integer / s.width / count(*) OVER ())::integer + ${sql.lit(LEAST_ROWS)}`;
const ALL = sql`NULL::integer`;

async function loadPacked(
  tx: Tx,
  hours: readonly DeviceHour[],
  spans: readonly HourSpan[],
  most: RawBuilder<unknown>,
): Promise<Shape[]> {
  const { rows: c, within } = given(hours, spans);
  const { rows } = await sql<PackedRows>`
    SELECT c.which, s.shape_no, s.metrics, s.kinds, s.width, s.most, m.*
      FROM ${c} CROSS JOIN LATERAL (
      SELECT s.*, ${most} AS most FROM ${SHAPES} s WHERE s.device_uid = c.device_uid
         AND EXISTS (SELECT FROM telemetry_messages m WHERE m.shape_no = s.shape_no AND ${within(sql`m.ts`)} OFFSET 0)) s
     CROSS JOIN LATERAL (
      SELECT string_agg(timestamptz_send(m.ts), '') AS times, string_agg(timestamptz_send(coalesce(m.received_at, m.ts)), '') AS received,
             string_agg(int8send(m.seq), '') AS seqs, string_agg(int2send(m.retention_days), '') AS classes,
             string_agg(array_send(m.numbers), '') AS numbers, string_agg(array_send(m.texts), '') AS texts
        FROM (SELECT * FROM telemetry_messages m WHERE m.shape_no = s.shape_no AND ${within(sql`m.ts`)}
               ORDER BY m.ts LIMIT s.most) m) m`.execute(tx);
  return rows.map((of) => ({ ...of, times: timesOf(of.times) }));
}

function ofRetentions(packed: Shape): ShapeRows[] {
  const { times } = packed;
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
