import type { Caller } from "../../access/access.ts";
import type { Database } from "../../db/database.ts";
import { HOUR, MINUTE, SECOND } from "../../lib/clock.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { type LatestValue, visibleDevice } from "../device-values.ts";
import type { MetricValue } from "../reading.ts";
import { type ReadingRow, type SeriesRange, selectReadings, selectSeries } from "./telemetry-reads-store.ts";

const MOST_READINGS = 1_000;
const MOST_BUCKETS = 2_000;
const USUAL_BUCKETS = 300;
const CURSOR = /^\d{1,17}$/;

type Deps = { database: Pick<Database, "db"> };

/** Readings of [from, to). */
export interface ReadingQuery {
  from: Date;
  to: Date;
  /** 1 to 1,000, default 100. */
  limit?: number | undefined;
  /** The `next` of the page before. */
  cursor?: string | undefined;
}

export interface ReadingPage {
  items: Omit<LatestValue, "metric">[];
  /** The cursor of the page after this one; absent at the end. */
  next: string | undefined;
}

/**
 * What a device said of one metric, newest first.
 *
 * @throws MusterError insufficient_scope, not_found, invalid_request
 */
export async function readings(
  deps: Deps,
  caller: Caller,
  deviceId: string,
  metric: string,
  query: ReadingQuery,
): Promise<ReadingPage> {
  const { from, to, limit = 100, cursor } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_READINGS)
    throw invalidRequest(`a page has 1 to ${MOST_READINGS} readings`, "limit");
  if (cursor !== undefined && !CURSOR.test(cursor)) throw invalidRequest("this is not a cursor of readings", "cursor");
  const uid = await visibleDevice(deps, caller, deviceId);
  const beforeUs = cursor === undefined ? undefined : Number(cursor);
  const rows = await selectReadings(deps.database.db, uid, metric, { from, to, limit: limit + 1, beforeUs });
  const page = rows.slice(0, limit);
  return { items: page.map(toReading), next: rows.length > limit ? page.at(-1)!.us : undefined };
}

function toReading(row: ReadingRow): ReadingPage["items"][number] {
  const value = (row.number ?? row.flag ?? row.text) as MetricValue;
  return { value, at: row.ts, receivedAt: row.received_at, timeReplaced: row.time_replaced };
}

/** The numbers of [from, to) in buckets: of `bucketSeconds`, or about `buckets` of them (default 300). */
export interface SeriesQuery {
  from: Date;
  to: Date;
  buckets?: number | undefined;
  bucketSeconds?: number | undefined;
}

export interface Series {
  bucketSeconds: number;
  /** Only buckets with numbers in them, oldest first. `at` is a multiple of `bucketSeconds` since 1970. */
  points: { at: Date; min: number; avg: number; max: number; count: number }[];
}

/**
 * What a chart of one metric of a device shows. The first and the last bucket hold only what lies in the range.
 *
 * @throws MusterError insufficient_scope, not_found, invalid_request
 */
export async function series(
  deps: Deps,
  caller: Caller,
  deviceId: string,
  metric: string,
  query: SeriesQuery,
): Promise<Series> {
  const seconds = bucketSecondsOf(query);
  const uid = await visibleDevice(deps, caller, deviceId);
  const rows = await selectSeries(deps.database.db, uid, metric, rangeOf(query, seconds));
  const points = rows.map(({ bucket, lowest, highest, total, readings }) => {
    const count = Number(readings);
    return { at: bucket, min: lowest, avg: total / count, max: highest, count };
  });
  return { bucketSeconds: seconds, points };
}

/** Sizes in seconds that divide what follows: people read them, and from a minute on roll-ups make them up. */
const SIZES = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/** @throws MusterError invalid_request */
export function bucketSecondsOf({ from, to, buckets = USUAL_BUCKETS, bucketSeconds }: SeriesQuery): number {
  const range = (to.getTime() - from.getTime()) / SECOND;
  if (!(range > 0)) throw invalidRequest("the range ends before it begins", "to");
  if (!Number.isInteger(buckets) || buckets < 1 || buckets > MOST_BUCKETS)
    throw invalidRequest(`a series has 1 to ${MOST_BUCKETS} buckets`, "buckets");
  if (bucketSeconds !== undefined) {
    if (!Number.isInteger(bucketSeconds) || bucketSeconds < 1 || range / bucketSeconds > MOST_BUCKETS)
      throw invalidRequest(`a bucket is whole seconds, and a series has at most ${MOST_BUCKETS}`, "bucketSeconds");
    // Else a long series would be made of readings, or of minutes where hours would do.
    if ((bucketSeconds > 60 && bucketSeconds % 60 !== 0) || (bucketSeconds > 3600 && bucketSeconds % 3600 !== 0))
      throw invalidRequest(
        "a bucket of more than a minute is whole minutes, of more than an hour whole hours",
        "bucketSeconds",
      );
    return bucketSeconds;
  }
  const least = range / buckets;
  const day = SIZES.at(-1)!;
  return SIZES.find((size) => size >= least) ?? Math.ceil(least / day) * day;
}

/** The part of a range that whole minutes or hours fill, where the buckets are made of those. */
export function rangeOf({ from, to }: SeriesQuery, seconds: number): SeriesRange {
  const [table, unit] =
    seconds % 3600 === 0 ? (["telemetry_hour", HOUR] as const) : (["telemetry_minute", MINUTE] as const);
  const first = Math.ceil(from.getTime() / unit) * unit;
  const last = Math.floor(to.getTime() / unit) * unit;
  const rolledUp =
    seconds % 60 === 0 && first < last ? { table, from: new Date(first), to: new Date(last) } : undefined;
  return { from, to, seconds, rolledUp };
}
