import type { Db } from "../../db/database.ts";
import { readPage } from "../messages/metric-page.ts";
import { rowsOnlyFrom } from "../partitions/hot-days.ts";
import type { MetricValue } from "../reading.ts";

/** A query for the readings of one metric of a device in [from, to). */
export interface StoredReadings {
  deviceUid: string;
  metric: string;
  from: Date;
  to: Date;
  /** Selects only readings later than this, in microseconds since 1970; `-Infinity` for all. */
  after: number;
  limit: number;
  now: Date;
}

/** A reading. `time` is in microseconds since 1970. */
export interface StoredReading {
  time: number;
  value: MetricValue;
}

/** Reads the times at which a device sent anything, oldest first, in microseconds since 1970. */
export async function readStoredTimes(
  db: Db,
  query: Omit<StoredReadings, "metric">,
): Promise<Pick<StoredReading, "time">[]> {
  return await readPageOf(db, { ...query, metric: null });
}

/** Reads stored readings, oldest first, for features that act as the service. Callers use `listReadings`. */
export async function readStoredReadings(db: Db, query: StoredReadings): Promise<StoredReading[]> {
  return await readPageOf(db, query);
}

async function readPageOf(
  db: Db,
  { from, to, after, now, ...which }: Omit<StoredReadings, "metric"> & { metric: string | null },
): Promise<StoredReading[]> {
  const first = Math.max(from.getTime() * 1_000, after + 1);
  const query = { ...which, from: first, to: to.getTime() * 1_000, order: "ASC" as const };
  const page = await readPage(db, query, rowsOnlyFrom(now));
  return page.map(({ time, value }) => ({ time, value }));
}
