import { type Caller, useCase } from "../../../access/access.ts";
import type { Database } from "../../../db/database.ts";
import type { Clock } from "../../../lib/clock.ts";
import { records } from "../../../lib/limits/records.ts";
import { invalidRequest } from "../../../lib/request-errors.ts";
import { readPage } from "../../messages/metric-page.ts";
import { rowsOnlyFrom } from "../../partitions/hot-days.ts";
import { checkedLength } from "../checked-length.ts";
import type { LatestValue } from "../latest.ts";
import type { Span } from "../series-spans.ts";
import { type FleetQuery, isAt, parseFleetCursor, toFleetCursor, walkFleet } from "./fleet-walk.ts";

const MAX_LIMIT = records.readingsOfPage.value;
const MOST_METRICS = records.metricsOfPage.value;

export interface FleetReading extends LatestValue {
  deviceId: string;
  /** The cursor after this reading. */
  cursor: string;
}

export interface FleetReadingQuery extends FleetQuery, Span {
  /** 1 to 1,000, by default 1,000. */
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface FleetReadingPage {
  items: FleetReading[];
  next: string | undefined;
}

type Deps = { database: Pick<Database, "db">; clock: Clock };

/**
 * Lists the readings of many devices in [from, to), by device id, metric and time. A page reads a limited number of
 * metrics, so it may be short, or even empty, before the end.
 *
 * @throws MusterError invalid_request
 */
export const listFleetReadings = useCase(
  { scope: "telemetry:read", role: "viewer" },
  async (deps: Deps, caller, query: FleetReadingQuery): Promise<FleetReadingPage> => {
    const { limit = MAX_LIMIT } = query;
    checkedLength(query);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
      throw invalidRequest(`a page has 1 to ${MAX_LIMIT} readings`, "limit");
    return await readFleetPage(deps, caller, { ...query, limit });
  },
);

async function readFleetPage(
  { database: { db }, clock }: Deps,
  caller: Caller,
  { from, to, limit, cursor, ...fleet }: FleetReadingQuery & { limit: number },
): Promise<FleetReadingPage> {
  const place = parseFleetCursor(cursor);
  const [begin, end] = [from.getTime() * 1_000, to.getTime() * 1_000];
  const items: FleetReading[] = [];
  let read = 0;
  for await (const at of walkFleet(db, caller, fleet, place)) {
    const { uid: deviceUid, deviceId, metric } = at;
    if (items.length === limit || read === MOST_METRICS)
      return { items, next: toFleetCursor({ deviceId, metric, time: null }) };
    read++;
    const first = isAt(place, at) && place.time !== null ? Math.max(begin, place.time + 1) : begin;
    const room = limit - items.length;
    const which = { deviceUid, metric, from: first, to: end, order: "ASC" as const, limit: room + 1 };
    const found = first < end ? await readPage(db, which, rowsOnlyFrom(clock.now())) : [];
    for (const { time, value, receivedAt, timeReplaced } of found.slice(0, room))
      items.push({
        deviceId,
        metric,
        value,
        at: new Date(time / 1_000),
        receivedAt: new Date(receivedAt / 1_000),
        timeReplaced,
        cursor: toFleetCursor({ deviceId, metric, time }),
      });
    if (found.length > room) return { items, next: items.at(-1)!.cursor };
  }
  return { items, next: undefined };
}
