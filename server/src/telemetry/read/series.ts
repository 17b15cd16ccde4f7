import { useCase } from "../../access/access.ts";
import type { Database, Db } from "../../db/database.ts";
import { type Clock, HOUR, MINUTE, SECOND } from "../../lib/clock.ts";
import { records } from "../../lib/limits/records.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { checkedLength } from "./checked-length.ts";
import { visibleDeviceUid } from "./device-store.ts";
import type { SeriesRange, Span } from "./series-spans.ts";
import { selectSeries } from "./series-store.ts";

const MAX_BUCKETS = records.bucketsOfChart.value;
const DEFAULT_BUCKETS = 300;

/**
 * A query for the numbers of [from, to) in buckets: each of `bucketSeconds`, or about `buckets` of them (default 300).
 */
export interface SeriesQuery extends Span {
  buckets?: number | undefined;
  bucketSeconds?: number | undefined;
}

export interface Series {
  bucketSeconds: number;
  /** The buckets that contain numbers, oldest first. `at` is a multiple of `bucketSeconds` since 1970. */
  points: { at: Date; min: number; avg: number; max: number; count: number }[];
}

/**
 * Reads the points for a chart of one metric of a device. The first and the last bucket cover only their part of the
 * range.
 *
 * @throws MusterError not_found, invalid_request
 */
export const readSeries = useCase(
  { scope: "telemetry:read", role: "viewer" },
  async (
    { database: { db }, clock }: { database: Pick<Database, "db">; clock: Clock },
    caller,
    deviceId: string,
    metric: string,
    query: SeriesQuery,
  ): Promise<Series> => {
    const seconds = bucketSecondsOf(query);
    const uid = await visibleDeviceUid(db, caller, deviceId);
    return await readBuckets(db, { uid, metric }, query, seconds, clock.now());
  },
);

/** Reads the buckets of a metric of a device. */
export async function readBuckets(
  db: Db,
  { uid, metric }: { uid: string; metric: string },
  query: SeriesQuery,
  seconds: number,
  now: Date,
): Promise<Series> {
  const rows = await selectSeries(db, uid, metric, rangeOf(query, seconds), now);
  const points = rows.map(({ at, lowest, highest, total, readings }) => {
    return { at: new Date(at / 1_000), min: lowest, avg: total / readings, max: highest, count: readings };
  });
  return { bucketSeconds: seconds, points };
}

/** Human-friendly bucket sizes in seconds. Those of a minute or more consist of whole roll-ups. */
const SIZES = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/** @throws MusterError invalid_request */
export function bucketSecondsOf({ buckets = DEFAULT_BUCKETS, bucketSeconds, ...times }: SeriesQuery): number {
  const range = checkedLength(times) / SECOND;
  if (!Number.isInteger(buckets) || buckets < 1 || buckets > MAX_BUCKETS)
    throw invalidRequest(`a series has 1 to ${MAX_BUCKETS} buckets`, "buckets");
  if (bucketSeconds !== undefined) return checkedSize(bucketSeconds, range);
  const least = range / buckets;
  const day = SIZES.at(-1)!;
  return SIZES.find((size) => size >= least) ?? Math.ceil(least / day) * day;
}

/** @throws MusterError invalid_request */
function checkedSize(bucketSeconds: number, range: number): number {
  if (!Number.isInteger(bucketSeconds) || bucketSeconds < 1 || range / bucketSeconds > MAX_BUCKETS)
    throw invalidRequest(
      `a bucket must be whole seconds, and a series has at most ${MAX_BUCKETS} buckets`,
      "bucketSeconds",
    );
  // Other sizes could only be computed from readings, or from minutes instead of hours.
  if ((bucketSeconds > 60 && bucketSeconds % 60 !== 0) || (bucketSeconds > 3600 && bucketSeconds % 3600 !== 0))
    throw invalidRequest(
      "a bucket above a minute must be whole minutes, and above an hour whole hours",
      "bucketSeconds",
    );
  return bucketSeconds;
}

/** Adds to a range the part filled by whole minutes or hours, if the buckets consist of those. */
export function rangeOf({ from, to }: SeriesQuery, seconds: number): SeriesRange {
  const [unit, unitMs] = seconds % 3600 === 0 ? (["hour", HOUR] as const) : (["minute", MINUTE] as const);
  const first = Math.ceil(from.getTime() / unitMs) * unitMs;
  const last = Math.floor(to.getTime() / unitMs) * unitMs;
  const rolledUp = seconds % 60 === 0 && first < last ? { unit, from: new Date(first), to: new Date(last) } : undefined;
  return { from, to, seconds, rolledUp };
}
