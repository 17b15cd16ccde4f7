import { useCase } from "../../../access/access.ts";
import type { Database } from "../../../db/database.ts";
import type { Clock } from "../../../lib/clock.ts";
import { records } from "../../../lib/limits/records.ts";
import { invalidRequest } from "../../../lib/request-errors.ts";
import { bucketSecondsOf, readBuckets, type Series, type SeriesQuery } from "../series.ts";
import { type FleetQuery, parseFleetCursor, toFleetCursor, walkFleet } from "./fleet-walk.ts";

const MAX_LIMIT = records.seriesOfPage.value;

export interface FleetSeriesQuery extends FleetQuery, SeriesQuery {
  /** The number of series, by default the most. */
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface FleetSeriesPage {
  items: (Series & { deviceId: string; metric: string })[];
  next: string | undefined;
}

/**
 * Reads the numbers of many devices in [from, to) in buckets, one series per device and metric, in this order. A series
 * without a number in the range has no points.
 *
 * @throws MusterError invalid_request
 */
export const listFleetSeries = useCase(
  { scope: "telemetry:read", role: "viewer" },
  async (
    { database: { db }, clock }: { database: Pick<Database, "db">; clock: Clock },
    caller,
    { limit = MAX_LIMIT, cursor, metrics, deviceIds, groupIds, deviceTypeIds, ...range }: FleetSeriesQuery,
  ): Promise<FleetSeriesPage> => {
    const seconds = bucketSecondsOf(range);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
      throw invalidRequest(`a page has 1 to ${MAX_LIMIT} series`, "limit");
    const items: FleetSeriesPage["items"] = [];
    const fleet = { metrics, deviceIds, groupIds, deviceTypeIds };
    for await (const { uid, deviceId, metric } of walkFleet(db, caller, fleet, parseFleetCursor(cursor))) {
      if (items.length === limit) return { items, next: toFleetCursor({ deviceId, metric, time: null }) };
      items.push({ deviceId, metric, ...(await readBuckets(db, { uid, metric }, range, seconds, clock.now())) });
    }
    return { items, next: undefined };
  },
);
