import { sql } from "kysely";
import { plainArray, textArray } from "../../db/array-literal.ts";
import type { Db } from "../../db/database.ts";
import { HOUR } from "../../lib/clock.ts";
import { eachNumber } from "../messages/metric-numbers-store.ts";
import { ALONE } from "../messages/metric-readings-store.ts";
import { rowsOnlyFrom } from "../partitions/hot-days.ts";

/** Some hours of a metric of a device, counted since 1970. */
export interface HoursOfMetric {
  uid: string;
  metric: string;
  hours: readonly number[];
}

/** The numbers of a metric in one hour. */
export interface StoredHour {
  total: number;
  readings: number;
}

/** The number of hours that one statement looks up, each by its key. */
const HOURS_AT_ONCE = 10_000;

/**
 * Reads single hours of many metrics and devices, by a statement for all, for features that act as the service. A dirty
 * hour is read from its readings, by a statement for its metric.
 *
 * @returns the hours with numbers, for each of `wanted`
 */
export async function readHours(
  db: Db,
  wanted: readonly HoursOfMetric[],
  now: Date,
): Promise<ReadonlyMap<number, StoredHour>[]> {
  const found = wanted.map(() => new Map<number, StoredHour>());
  const dirty = wanted.map((): number[] => []);
  const all = wanted.flatMap(({ uid, metric, hours }, which) => hours.map((hour) => ({ which, uid, metric, hour })));
  for (let at = 0; at < all.length; at += HOURS_AT_ONCE) {
    const asked = all.slice(at, at + HOURS_AT_ONCE);
    for (const { place, total, readings, is_dirty } of await selectHours(db, asked)) {
      const { which, hour } = asked[place - 1]!;
      if (is_dirty) dirty[which]!.push(hour);
      else found[which]!.set(hour, { total, readings });
    }
  }
  for (const [which, hours] of dirty.entries()) {
    if (hours.length > 0) await addDirtyHours(db, { ...wanted[which]!, hours }, found[which]!, now);
  }
  return found;
}

interface HourRow {
  /** Counted from 1. */
  place: number;
  total: number;
  readings: number;
  is_dirty: boolean;
}

/** The statement is planned for these hours, so that only their partitions are read. */
async function selectHours(
  db: Db,
  asked: readonly { uid: string; metric: string; hour: number }[],
): Promise<readonly HourRow[]> {
  const hours = asked.map(({ hour }) => hour);
  const [first, last] = [hours.reduce((a, b) => Math.min(a, b)), hours.reduce((a, b) => Math.max(a, b))];
  const { rows } = await sql<HourRow>`
    SELECT w.place::integer AS place, h.total, h.readings::float8 AS readings, w.is_dirty
      FROM (SELECT u.device_uid, u.metric, u.place, to_timestamp(u.hour * 3600) AS hour, EXISTS (
                     SELECT FROM roll_up_marks m
                      WHERE m.device_uid = u.device_uid AND m.hour = to_timestamp(u.hour * 3600)) AS is_dirty
              FROM unnest(${plainArray(asked.map(({ uid }) => uid))}::text::uuid[],
                          ${textArray(asked.map(({ metric }) => metric))}::text::text[],
                          ${plainArray(hours)}::text::float8[])
                   WITH ORDINALITY AS u (device_uid, metric, hour, place) ${ALONE}) w
     CROSS JOIN LATERAL (
      SELECT sum(r.total) AS total, sum(r.readings) AS readings FROM telemetry_hour r
       WHERE NOT w.is_dirty AND r.device_uid = w.device_uid AND r.metric = w.metric AND r.bucket = w.hour
         AND r.bucket >= ${timeOf(first)}::timestamptz AND r.bucket <= ${timeOf(last)}::timestamptz) h
     WHERE w.is_dirty OR h.readings > 0`.execute(db);
  return rows;
}

async function addDirtyHours(
  db: Db,
  { uid, metric, hours }: HoursOfMetric,
  found: Map<number, StoredHour>,
  now: Date,
): Promise<void> {
  const spans = hours.toSorted((a, b) => a - b).map((hour) => ({ from: timeOf(hour), to: timeOf(hour + 1) }));
  const which = { deviceUid: uid, metric };
  await eachNumber(db, which, { spans, rowsOnlyFrom: rowsOnlyFrom(now) }, (time, number) => {
    const hour = Math.floor(time / 1_000 / HOUR);
    const { total, readings } = found.get(hour) ?? { total: 0, readings: 0 };
    found.set(hour, { total: total + number, readings: readings + 1 });
  });
}

const timeOf = (hour: number) => new Date(hour * HOUR);
