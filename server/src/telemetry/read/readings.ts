import { useCase } from "../../access/access.ts";
import type { Database } from "../../db/database.ts";
import { records } from "../../lib/limits/records.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { checkedLength } from "./checked-length.ts";
import { visibleDeviceUid } from "./device-store.ts";
import { type LatestValue, toValue } from "./latest.ts";
import { type ReadingRow, selectReadings } from "./readings-store.ts";
import type { Span } from "./series-spans.ts";

const MAX_LIMIT = records.readingsOfPage.value;
const DEFAULT_LIMIT = 100;
const CURSOR = /^\d{1,17}$/;

/** Readings of [from, to). */
export interface ReadingQuery extends Span {
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
 * The readings of one metric of a device, newest first.
 *
 * @throws MusterError not_found, invalid_request
 */
export const listReadings = useCase(
  { scope: "telemetry:read", role: "viewer" },
  async (
    { database: { db } }: { database: Pick<Database, "db"> },
    caller,
    deviceId: string,
    metric: string,
    query: ReadingQuery,
  ): Promise<ReadingPage> => {
    const { from, to, limit = DEFAULT_LIMIT, cursor } = query;
    checkedLength(query);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
      throw invalidRequest(`a page has 1 to ${MAX_LIMIT} readings`, "limit");
    if (cursor !== undefined && !CURSOR.test(cursor))
      throw invalidRequest("this is not a cursor of readings", "cursor");
    const uid = await visibleDeviceUid(db, caller, deviceId);
    const beforeUs = cursor === undefined ? undefined : Number(cursor);
    const rows = await selectReadings(db, uid, metric, { from, to, limit: limit + 1, beforeUs });
    const page = rows.slice(0, limit);
    return { items: page.map(toReading), next: rows.length > limit ? page.at(-1)!.us : undefined };
  },
);

function toReading(row: ReadingRow): ReadingPage["items"][number] {
  return { value: toValue(row), at: row.ts, receivedAt: row.received_at, timeReplaced: row.time_replaced };
}
