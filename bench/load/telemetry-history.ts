import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../server/src/db/database.ts";
import { liftTimeLimit } from "../../server/src/db/time-limit.ts";

/** Of [from, to), with times as they would have arrived. */
export interface History {
  deviceUid: string;
  from: Date;
  to: Date;
  /** A class of retention that the database has. */
  retentionDays: number;
}

/** Creates the partitions of every day, whether readings follow or not: a plan has them all in view. */
export async function makeDays(database: Database, { from, to, retentionDays }: History): Promise<void> {
  await unlimited(
    database,
    sql`SELECT make_message_day(${retentionDays}::smallint, d::date)
          FROM generate_series(${from}::timestamptz, ${to}::timestamptz + interval '1 day', '1 day') d`,
  );
}

/** A reading of `temperature` a second. Every hour is marked, so that `rollUp` computes it. */
export async function storeSeconds(database: Database, history: History): Promise<void> {
  const { deviceUid, from, to, retentionDays } = history;
  const steps = [
    sql`INSERT INTO telemetry_shapes (device_uid, digest, metrics, kinds, time_replaced)
        VALUES (${deviceUid}::uuid, '', '{temperature}', 'n', false)`,
    sql`INSERT INTO telemetry_messages (shape_no, ts, retention_days, numbers)
        SELECT shape_no, at, ${retentionDays}::smallint, ARRAY[20 + random()]
          FROM generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 second', '1 second') at
         CROSS JOIN telemetry_shapes WHERE device_uid = ${deviceUid}::uuid`,
    sql`INSERT INTO device_latest (device_uid, metrics, kinds, version, seen_at, ts, received_at, written, numbers)
        VALUES (${deviceUid}, '{temperature}', 'n', 1, ${to}, ${to}, ${to}, pg_current_xact_id(), '{20}')`,
    sql`INSERT INTO roll_up_marks
        SELECT ${deviceUid}::uuid, h, '-infinity'
          FROM generate_series(date_bin('1 hour', ${from}::timestamptz, 'epoch'), ${to}::timestamptz, '1 hour') h`,
  ];
  for (const step of steps) await unlimited(database, step);
}

/** The roll-ups of hours whose readings are past their retention. */
export async function storeHours(database: Database, history: History): Promise<void> {
  const { deviceUid, from, to, retentionDays } = history;
  await unlimited(
    database,
    sql`INSERT INTO telemetry_hour (device_uid, metric, bucket, lowest, highest, total, readings, retention_days)
        SELECT ${deviceUid}::uuid, 'temperature', hour, 20, 21, 3600 * (20 + random()), 3600, ${retentionDays}::smallint
          FROM generate_series(date_bin('1 hour', ${from}::timestamptz, 'epoch'), ${to}::timestamptz - interval '1 hour',
                               '1 hour') hour`,
  );
}

/** Runs a statement without a time limit. */
export async function unlimited({ db }: Database, statement: RawBuilder<unknown>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await liftTimeLimit(tx);
    await statement.execute(tx);
  });
}
