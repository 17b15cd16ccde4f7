import { type RawBuilder, sql } from "kysely";
import { TELEMETRY_RETENTIONS } from "../../access/access.ts";
import type { Db } from "../../db/database.ts";
import { readStatement, statement } from "../../db/statement.ts";

/** Which readings of one metric of a device: SQL of the values, or of columns of what they are joined with. */
export interface MetricReadings {
  deviceUid: RawBuilder<unknown>;
  metric: RawBuilder<unknown>;
  /** A condition on the time. */
  within: (time: RawBuilder<unknown>) => RawBuilder<unknown>;
}

/** Columns of readings in both forms: of `m`, a message, and `s`, its shape; of `t`, a reading. PostgreSQL computes them for each row, read or not. */
interface Columns {
  ofMessage: RawBuilder<unknown>;
  ofReading: RawBuilder<unknown>;
}

const NUMBERS: Columns = {
  ofMessage: sql`m.ts, m.seq, CASE WHEN s.is_number THEN m.numbers[s.place] END AS number, m.retention_days`,
  ofReading: sql`t.ts, 0, t.number, t.retention_days`,
};

const VALUES: Columns = {
  ofMessage: sql`m.ts, m.seq, CASE WHEN s.is_number THEN m.numbers[s.place] END AS number,
             CASE WHEN NOT s.is_number THEN m.numbers[s.place] = 1 END AS flag, m.texts[s.text_place] AS text,
             coalesce(m.received_at, m.ts) AS received_at, s.time_replaced`,
  ofReading: sql`t.ts, 0, t.number, t.flag, t.text, t.received_at, t.time_replaced`,
};

/** Has PostgreSQL plan what it ends by itself: for each shape an index scan, whatever it thinks of the tables' sizes. */
const ALONE = sql`OFFSET 0`;

/**
 * A query of the readings of one metric, in both forms: rows a message, and rows a reading, which processes before schema 60 stored. Of one
 * time there may be several; the one with the highest `seq` counts.
 *
 * @param tail `ORDER BY ts … LIMIT`, of each shape
 */
function everyReading(
  { deviceUid, metric, within }: MetricReadings,
  { ofMessage, ofReading }: Columns,
  tail: RawBuilder<unknown> = ALONE,
): RawBuilder<unknown> {
  return sql`
    SELECT x.* FROM (
      SELECT f.*, f.place - length(rtrim(f.kinds, 't')) AS text_place, substr(f.kinds, f.place, 1) = 'n' AS is_number
        FROM (SELECT shape_no, kinds, time_replaced, array_position(metrics, ${metric}) AS place
                FROM telemetry_shapes WHERE device_uid = ${deviceUid} ${ALONE}) f
       WHERE f.place IS NOT NULL ${ALONE}) s
     CROSS JOIN LATERAL (
      SELECT ${ofMessage} FROM telemetry_messages m WHERE m.shape_no = s.shape_no AND ${within(sql`m.ts`)} ${tail}) x
     UNION ALL
    (SELECT ${ofReading} FROM telemetry t
      WHERE t.device_uid = ${deviceUid} AND t.metric = ${metric} AND ${within(sql`t.ts`)} ${tail})`;
}

/** The one shape of a device that has a metric, and where; `earlier` readings of it are in the form of before schema 60. */
interface OnlyShape {
  shape_no: number | null;
  place: number | null;
  is_number: boolean | null;
  shapes: number;
  earlier: boolean;
}

const selectOnlyShape = statement<{ deviceUid: string; metric: string; from: Date; to: Date }, OnlyShape>(
  "only-shape",
  (p) => sql`
  SELECT min(s.shape_no) AS shape_no, min(s.place) AS place, bool_and(substr(s.kinds, s.place, 1) = 'n') AS is_number,
         count(*)::int AS shapes, EXISTS (
           SELECT FROM telemetry t WHERE t.device_uid = ${p.deviceUid}::uuid AND t.metric = ${p.metric}::text
              AND t.ts >= ${p.from}::timestamptz AND t.ts < ${p.to}::timestamptz) AS earlier
    FROM (SELECT shape_no, kinds, array_position(metrics, ${p.metric}::text) AS place FROM telemetry_shapes
           WHERE device_uid = ${p.deviceUid}::uuid) s
   WHERE s.place IS NOT NULL`,
);

/**
 * Like {@link numbersOf} for a metric that is in one shape of its device only, as most are, and has no readings in the form of before in [from, to):
 * then no two rows of one retention have the same time, and none are compared. `undefined` for another metric.
 */
export async function numbersOfOnlyShape(
  db: Db,
  which: { deviceUid: string; metric: string; from: Date; to: Date },
): Promise<((within: MetricReadings["within"]) => RawBuilder<unknown>) | undefined> {
  const [only] = await readStatement(db, selectOnlyShape, which);
  const { shape_no, place, is_number, shapes, earlier } = only!;
  if (shapes !== 1 || earlier) return undefined;
  return (within) => sql`
    SELECT m.ts, m.numbers[${place}::integer] AS number, m.retention_days FROM telemetry_messages m
     WHERE m.shape_no = ${shape_no}::integer AND ${is_number}::boolean AND ${within(sql`m.ts`)}`;
}

/** A query of the numbers of one metric, one for each time: `ts`, `number` (null where the value is none), `retention_days`. */
export function numbersOf(which: MetricReadings): RawBuilder<unknown> {
  return sql`SELECT DISTINCT ON (r.ts) r.* FROM (${everyReading(which, NUMBERS)}) r ORDER BY r.ts, r.seq DESC`;
}

/** Of a time a shape has a row for each retention under which it was stored. */
const MOST_OF_A_TIME = TELEMETRY_RETENTIONS.length;

/**
 * A query of the first `limit` readings of one metric, one for each time: `ts`, `number`, `flag`, `text` (one of the three is not null),
 * `received_at`, `time_replaced`, and `is_repeated`: of several rows for one time, which {@link readPage} is for.
 *
 * @param most rows that are read of each shape
 */
export function pageOf(
  which: MetricReadings,
  order: "ASC" | "DESC",
  { limit, most }: { limit: RawBuilder<unknown>; most: RawBuilder<unknown> },
): RawBuilder<unknown> {
  const byTime = sql.raw(order);
  const rows = everyReading(which, VALUES, sql`ORDER BY ts ${byTime} LIMIT ${most}`);
  return sql`
    SELECT p.*, p.found >= ${most} AND p.found > count(*) OVER () AS is_repeated FROM (
      SELECT DISTINCT ON (r.ts) r.* FROM (SELECT e.*, count(*) OVER () AS found FROM (${rows}) e) r
       ORDER BY r.ts ${byTime}, r.seq DESC) p ORDER BY p.ts ${byTime} LIMIT ${limit}`;
}

/**
 * Reads a page. Where several rows are of one time, those of a shape may end before the page does: then more are read.
 *
 * @param read reads with {@link pageOf}, of each shape `most` rows
 */
export async function readPage<T extends { is_repeated: boolean }>(
  limit: number,
  read: (most: number) => Promise<T[]>,
): Promise<T[]> {
  const rows = await read(limit);
  return rows[0]?.is_repeated ? await read(limit * MOST_OF_A_TIME) : rows;
}
