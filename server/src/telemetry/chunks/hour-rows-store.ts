import { type RawBuilder, sql } from "kysely";
import { bytesArray, plainArray } from "../../db/array-literal.ts";
import type { Tx } from "../../db/database.ts";
import { HOUR } from "../../lib/clock.ts";
import { Chunk, encodeChunk } from "./chunk-codec.ts";
import { type HourRows, inOrder, merged, rowsAt } from "./hour-rows.ts";
import { doubleColumnsOf, doublesOf, longsOf, shortsOf, textColumnsOf, timesOf } from "./packed-columns.ts";

/** An hour of a device. */
export interface DeviceHour {
  deviceUid: string;
  hour: Date;
}

/** What a device has of one shape and retention in an hour. */
export interface ShapeHour {
  /** Which of the hours that were asked for. */
  which: number;
  shapeNo: number;
  metrics: readonly string[];
  /** A letter each: `n`, `b`, `t`. */
  kinds: string;
  retentionDays: number;
  rows: HourRows;
  /** Not all of them are in its chunk. */
  isChanged: boolean;
}

/** Numbers of one metric in the form of before schema 60; NaN for a value that is none. */
export interface EarlierNumbers {
  which: number;
  metric: string;
  retentionDays: number;
  times: Float64Array;
  numbers: Float64Array;
}

const NOTHING = Buffer.alloc(0);
/** What is loaded of a shape and hour, about: half a million readings of one metric. Encoding them takes half a second. */
const MOST_BYTES = 32_000_000;
const ROW_BYTES = 46;
const VALUE_BYTES = 12;

/** The hours as rows of `c`, and the span that all of them lie in, by which partitions are pruned. */
function given(hours: readonly DeviceHour[]) {
  const times = hours.map(({ hour }) => hour.getTime());
  const from = new Date(Math.min(...times));
  const to = new Date(Math.max(...times) + HOUR);
  const uids = plainArray(hours.map(({ deviceUid }) => deviceUid));
  const literal = `{${hours.map(({ hour }) => `"${hour.toISOString()}"`).join(",")}}`;
  return {
    rows: sql`unnest(${uids}::text::uuid[], ${literal}::text::timestamptz[]) WITH ORDINALITY AS c (device_uid, hour, which)`,
    within: (time: RawBuilder<unknown>) => sql`${time} >= c.hour AND ${time} < c.hour + interval '1 hour'
      AND ${time} >= ${from}::timestamptz AND ${time} < ${to}::timestamptz`,
  };
}

interface ShapeColumns {
  which: number;
  shape_no: number;
  metrics: string[];
  kinds: string;
}

interface PackedRows extends ShapeColumns {
  times: Buffer;
  received: Buffer;
  seqs: Buffer;
  classes: Buffer;
  numbers: Buffer | null;
  texts: Buffer | null;
}

type StoredChunk = ShapeColumns & { ts: Date; retention_days: number; data: Buffer };

const SHAPE = sql`c.which::integer - 1 AS which, s.shape_no, s.metrics, s.kinds`;

export interface LoadedHours {
  loaded: ShapeHour[];
  /** Which of the hours have more than a process should load; of some of them a part is loaded. */
  tooLarge: ReadonlySet<number>;
}

/**
 * What devices have in these hours: the rows of messages, and those of chunks, in that order. What goes from one to the other goes in one commit, and rows
 * are locked against that by having been read.
 */
export async function loadHours(tx: Tx, hours: readonly DeviceHour[]): Promise<LoadedHours> {
  const { rows: c, within } = given(hours);
  const { rows: packed } = await sql<PackedRows>`
    SELECT ${SHAPE}, m.*
      FROM ${c} JOIN telemetry_shapes s ON s.device_uid = c.device_uid
     CROSS JOIN LATERAL (
      SELECT string_agg(timestamptz_send(m.ts), '') AS times, string_agg(timestamptz_send(coalesce(m.received_at, m.ts)), '') AS received,
             string_agg(int8send(m.seq), '') AS seqs, string_agg(int2send(m.retention_days), '') AS classes,
             string_agg(array_send(m.numbers), '') AS numbers, string_agg(array_send(m.texts), '') AS texts
        FROM (SELECT * FROM telemetry_messages m WHERE m.shape_no = s.shape_no AND ${within(sql`m.ts`)}
               LIMIT ${sql.lit(MOST_BYTES)} / (${sql.lit(ROW_BYTES)} + ${sql.lit(VALUE_BYTES)} * cardinality(s.metrics)) + 1) m
      HAVING count(*) > 0) m`.execute(tx);
  const { rows: chunks } = await sql<StoredChunk>`
    SELECT ${SHAPE}, k.ts, k.retention_days, k.data
      FROM ${c} JOIN telemetry_shapes s ON s.device_uid = c.device_uid
      JOIN telemetry_chunks k ON k.shape_no = s.shape_no AND k.ts = c.hour AND ${within(sql`k.ts`)}`.execute(tx);
  const found = new Map<string, ShapeHour>();
  for (const part of [...chunks.map(ofChunk), ...packed.flatMap(ofRows)]) {
    const key = `${part.which} ${part.shapeNo} ${part.retentionDays}`;
    const before = found.get(key);
    if (before === undefined) found.set(key, part);
    else found.set(key, { ...part, rows: merged(before.rows, part.rows) });
  }
  const tooLarge = packed.filter(
    ({ classes, metrics }) =>
      shortsOf(classes).length > Math.floor(MOST_BYTES / (ROW_BYTES + VALUE_BYTES * metrics.length)),
  );
  return { loaded: [...found.values()], tooLarge: new Set(tooLarge.map(({ which }) => which)) };
}

function ofRows(packed: PackedRows): ShapeHour[] {
  const times = timesOf(packed.times);
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
    return { ...shapeHour(packed, days, inOrder(places ? rowsAt(all, places) : all)), isChanged: true };
  });
}

function ofChunk(stored: StoredChunk): ShapeHour {
  const chunk = new Chunk(stored.data, stored.ts.getTime() * 1_000);
  const places = [...stored.kinds].map((_, place) => place);
  const rows: HourRows = {
    times: chunk.times,
    received: chunk.received,
    seqs: chunk.seqs,
    numbers: places.filter((place) => stored.kinds[place] !== "t").map((place) => chunk.numbers(place)),
    texts: places.filter((place) => stored.kinds[place] === "t").map((place) => chunk.texts(place)),
  };
  return shapeHour(stored, stored.retention_days, rows);
}

function shapeHour(
  { which, shape_no, metrics, kinds }: ShapeColumns,
  retentionDays: number,
  rows: HourRows,
): ShapeHour {
  return { which, shapeNo: shape_no, metrics, kinds, retentionDays, rows, isChanged: false };
}

type PackedEarlier = { which: number; metric: string; retention_days: number; times: Buffer; numbers: Buffer };

/** The numbers that devices have in these hours in the form of before schema 60. They stay in it, and are in no chunk. */
export async function loadEarlier(tx: Tx, hours: readonly DeviceHour[]): Promise<EarlierNumbers[]> {
  const { rows: c, within } = given(hours);
  const { rows } = await sql<PackedEarlier>`
    SELECT c.which::integer - 1 AS which, t.* FROM ${c} CROSS JOIN LATERAL (
      SELECT t.metric, t.retention_days, string_agg(timestamptz_send(t.ts), '' ORDER BY t.ts) AS times,
             string_agg(float8send(coalesce(t.number, 'NaN')), '' ORDER BY t.ts) AS numbers
        FROM telemetry t WHERE t.device_uid = c.device_uid AND ${within(sql`t.ts`)} GROUP BY 1, 2) t`.execute(tx);
  return rows.map((row) => ({
    which: row.which,
    metric: row.metric,
    retentionDays: row.retention_days,
    times: timesOf(row.times),
    numbers: doublesOf(row.numbers),
  }));
}

/** Writes the chunks of these hours that have changed. */
export async function storeChunks(tx: Tx, hours: readonly DeviceHour[], loaded: readonly ShapeHour[]): Promise<void> {
  const changed = loaded.filter(({ isChanged }) => isChanged);
  if (changed.length === 0) return;
  const times = changed.map(({ which }) => hours[which]!.hour);
  const data = changed.map(({ rows }, at) => encodeChunk(rows, times[at]!.getTime() * 1_000));
  await sql`
    INSERT INTO telemetry_chunks (shape_no, ts, retention_days, data)
    SELECT * FROM unnest(${plainArray(changed.map(({ shapeNo }) => shapeNo))}::text::integer[],
                         ${plainArray(times.map((time) => time.toISOString()))}::text::timestamptz[],
                         ${plainArray(changed.map(({ retentionDays }) => retentionDays))}::text::smallint[],
                         ${bytesArray(data)}::text::bytea[])
    ON CONFLICT (shape_no, ts, retention_days) DO UPDATE SET data = excluded.data`.execute(tx);
}
