import type { Db } from "../../db/database.ts";
import { HOUR } from "../../lib/clock.ts";
import { rangeOf } from "./series.ts";
import type { Span } from "./series-spans.ts";
import { selectSeries } from "./series-store.ts";

/** The numbers of a metric in one hour. */
export interface StoredHour {
  /** The hour, counted since 1970. */
  hour: number;
  total: number;
  readings: number;
}

/** Reads the hours with numbers of a metric of a device, oldest first, for features that act as the service. */
export async function readHours(
  db: Db,
  { uid, metric }: { uid: string; metric: string },
  span: Span,
  now: Date,
): Promise<StoredHour[]> {
  const seconds = HOUR / 1000;
  const rows = await selectSeries(db, uid, metric, rangeOf(span, seconds), now);
  return rows.map(({ at, total, readings }) => ({ hour: at / 1000 / HOUR, total, readings }));
}
