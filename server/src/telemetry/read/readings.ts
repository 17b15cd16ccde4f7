import { useCase } from "../../access/access.ts";
import type { Database } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { records } from "../../lib/limits/records.ts";
import { invalidRequest } from "../../lib/request-errors.ts";
import { readPage } from "../messages/metric-page.ts";
import type { PageReading } from "../messages/metric-readings-store.ts";
import { rowsOnlyFrom } from "../partitions/hot-days.ts";
import { checkedLength } from "./checked-length.ts";
import { visibleDeviceUid } from "./device-store.ts";
import type { LatestValue } from "./latest.ts";
import type { Span } from "./series-spans.ts";

const MAX_LIMIT = records.readingsOfPage.value;
const DEFAULT_LIMIT = 100;
const CURSOR = /^\d{1,17}$/;

/** A query for readings in [from, to). */
export interface ReadingQuery extends Span {
  /** 1 to 1,000, default 100. */
  limit?: number | undefined;
  /** The `next` of the previous page. */
  cursor?: string | undefined;
}

export interface ReadingPage {
  items: Omit<LatestValue, "metric">[];
  /** The cursor of the next page; absent at the end. */
  next: string | undefined;
}

/**
 * Lists the readings of one metric of a device, newest first.
 *
 * @throws MusterError not_found, invalid_request
 */
export const listReadings = useCase(
  { scope: "telemetry:read", role: "viewer" },
  async (
    { database: { db }, clock }: { database: Pick<Database, "db">; clock: Clock },
    caller,
    deviceId: string,
    metric: string,
    query: ReadingQuery,
  ): Promise<ReadingPage> => {
    const { from, to, limit = DEFAULT_LIMIT, cursor } = query;
    checkedLength(query);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
      throw invalidRequest(`a page has 1 to ${MAX_LIMIT} readings`, "limit");
    if (cursor !== undefined && !CURSOR.test(cursor)) throw invalidRequest("not a cursor of readings", "cursor");
    const uid = await visibleDeviceUid(db, caller, deviceId);
    const before = cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor);
    const range = { from: from.getTime() * 1_000, to: Math.min(to.getTime() * 1_000, before) };
    const which = { deviceUid: uid, metric, ...range, order: "DESC" as const, limit: limit + 1 };
    const found = await readPage(db, which, rowsOnlyFrom(clock.now()));
    const page = found.slice(0, limit);
    return { items: page.map(toReading), next: found.length > limit ? String(page.at(-1)!.time) : undefined };
  },
);

function toReading({ value, time, receivedAt, timeReplaced }: PageReading): ReadingPage["items"][number] {
  return { value, at: new Date(time / 1_000), receivedAt: new Date(receivedAt / 1_000), timeReplaced };
}
