import { type RawBuilder, sql } from "kysely";

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

/** A query of the numbers of one metric, one for each time: `ts`, `number` (null where the value is none), `retention_days`. */
export function numbersOf(which: MetricReadings): RawBuilder<unknown> {
  return sql`SELECT DISTINCT ON (r.ts) r.* FROM (${everyReading(which, NUMBERS)}) r ORDER BY r.ts, r.seq DESC`;
}

/**
 * A query of the first `limit` readings of one metric, one for each time: `ts`, `number`, `flag`, `text` (one of the three is not null),
 * `received_at`, `time_replaced`.
 */
export function pageOf(which: MetricReadings, order: "ASC" | "DESC", limit: RawBuilder<unknown>): RawBuilder<unknown> {
  const byTime = sql.raw(order);
  const page = everyReading(which, VALUES, sql`ORDER BY ts ${byTime} LIMIT ${limit}`);
  return sql`SELECT DISTINCT ON (r.ts) r.* FROM (${page}) r ORDER BY r.ts ${byTime}, r.seq DESC LIMIT ${limit}`;
}
