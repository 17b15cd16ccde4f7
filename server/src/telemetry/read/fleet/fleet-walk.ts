import { boundedToGroupsOf, type Caller, groupsOfViewer } from "../../../access/access.ts";
import type { Db } from "../../../db/database.ts";
import { invalidRequest } from "../../../lib/request-errors.ts";
import { type FleetFilter, selectFleet } from "./fleet-store.ts";

/** One metric of one device. */
export interface FleetMetric {
  uid: string;
  deviceId: string;
  metric: string;
}

/** A position in the order of device ids, metrics and times (microseconds since 1970, `null` for the beginning). */
export interface FleetPlace {
  deviceId: string;
  metric: string;
  time: number | null;
}

export interface FleetQuery extends FleetFilter {
  /** All metrics by default. */
  metrics?: readonly string[] | undefined;
}

/** Devices that are read at a time. */
const PART = 50;

/**
 * Yields the metrics of the devices that the caller sees, by device id and metric, from a place on. The order does not
 * depend on what is added meanwhile, so walks neither skip nor repeat.
 */
export async function* walkFleet(
  db: Db,
  caller: Caller,
  { metrics: wanted, ...filter }: FleetQuery,
  place: FleetPlace | undefined,
): AsyncGenerator<FleetMetric> {
  const { tenantId } = caller;
  const viewer = await groupsOfViewer(db, boundedToGroupsOf(caller));
  const isWanted = new Set(wanted);
  for (let from = place?.deviceId ?? "", last: string | undefined; ; from = last) {
    const devices = await selectFleet(db, { tenantId, viewer, filter, from, most: PART });
    for (const { uid, id, metrics } of devices) {
      if (id === last) continue;
      for (const metric of metrics) {
        if (wanted && !isWanted.has(metric)) continue;
        if (id === place?.deviceId && compareBytes(metric, place.metric) < 0) continue;
        yield { uid, deviceId: id, metric };
      }
    }
    last = devices.at(-1)?.id;
    if (devices.length < PART || last === undefined) return;
  }
}

/** Compares texts as the database orders them: by the bytes of their UTF-8. */
function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Reports whether the place is in this metric. */
export function isAt(place: FleetPlace | undefined, { deviceId, metric }: FleetMetric): place is FleetPlace {
  return place?.deviceId === deviceId && place.metric === metric;
}

export function toFleetCursor({ deviceId, metric, time }: FleetPlace): string {
  return Buffer.from(JSON.stringify([deviceId, metric, time])).toString("base64url");
}

/** @throws MusterError invalid_request for a text that is not a cursor */
export function parseFleetCursor(text: string | undefined): FleetPlace | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    const [deviceId, metric, time] = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    const isPlace = typeof deviceId === "string" && typeof metric === "string" && !/\0/.test(deviceId);
    if (isPlace && (time === null || Number.isSafeInteger(time))) return { deviceId, metric, time };
  } catch {
    // Refused below.
  }
  throw invalidRequest("cursor must be the `next` of an earlier page", "cursor");
}
