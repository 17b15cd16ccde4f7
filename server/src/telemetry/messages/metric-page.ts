import type { Db } from "../../db/database.ts";
import { chunksOfPage } from "./metric-chunks-store.ts";
import { type PageQuery, type PageReading, pageOfRows } from "./metric-readings-store.ts";

/**
 * Reads the first readings of one metric in time order, from message rows and chunks, one per time.
 *
 * @param rowsOnlyFrom the time from which rows contain everything that is in chunks (`partitions/hot-days.ts`)
 */
export async function readPage(db: Db, query: PageQuery, rowsOnlyFrom: number): Promise<PageReading[]> {
  const cold = { ...query, to: Math.min(query.to, rowsOnlyFrom) };
  const hot = { ...query, from: Math.max(query.from, rowsOnlyFrom) };
  const found: PageReading[] = [];
  for (const part of query.order === "ASC" ? [cold, hot] : [hot, cold]) {
    const limit = query.limit - found.length;
    if (part.from >= part.to || limit === 0) continue;
    found.push(...(await (part === hot ? pageOfRows : pageOfBoth)(db, { ...part, limit })));
  }
  return found;
}

/** Reads rows first, so readings that move from rows into a chunk in between are read twice rather than missed. */
async function pageOfBoth(db: Db, query: PageQuery): Promise<PageReading[]> {
  const rows = await pageOfRows(db, query);
  const found = new Map(rows.map((reading) => [reading.time, reading]));
  const isLater = query.order === "ASC" ? 1 : -1;
  // If the rows fill the page, it ends with the last of them at the latest.
  const end = rows.length < query.limit ? undefined : rows.at(-1)!.time;
  // A part that is split between two reads is read twice.
  const inChunks = new Set<number>();
  for await (const readings of chunksOfPage(db, query, end)) {
    for (const reading of readings) {
      const known = found.get(reading.time);
      if (known === undefined || known.seq < reading.seq) found.set(reading.time, reading);
      inChunks.add(reading.time);
    }
    if (inChunks.size >= query.limit) break;
  }
  if (inChunks.size === 0) return rows;
  return [...found.values()].sort((a, b) => (a.time - b.time) * isLater).slice(0, query.limit);
}
