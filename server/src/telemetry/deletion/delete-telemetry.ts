import type { Database, Db } from "../../db/database.ts";
import { pruneAlong, pruneInBatches } from "../../db/prune.ts";
import { addMs, type Clock, MINUTE } from "../../lib/clock.ts";
import { isStreamBehind } from "../stream/process-store.ts";
import { DELETIONS, deleteShapes, endPass, leaseDeletions } from "./deletion-store.ts";
import { deleteMessages, shapesIn } from "./message-rows-store.ts";
import { deleteRows, devicesIn, FIRST_ROW, isDropped, type Leaf, listLeaves } from "./partition-rows-store.ts";

/** The number of deleted devices that are processed together. */
const DEVICES = 100;
/** After this time the process counts as crashed, and another may repeat its work. */
const LEASE_MS = 30 * MINUTE;

/**
 * Deletes the telemetry of deleted devices: latest values, messages, chunks, roll-ups and rejected messages. The
 * progress is stored, so a later run in any process continues after a failure or crash. While the ingest stream lags,
 * devices are not finished, because it may still contain their messages. Must be called every minute.
 */
export async function deleteTelemetry({
  database,
  clock,
}: {
  database: Pick<Database, "db">;
  clock: Clock;
}): Promise<void> {
  const { db } = database;
  for (;;) {
    const now = clock.now();
    const leasedUntil = addMs(now, LEASE_MS);
    const deletions = await leaseDeletions(db, now, leasedUntil, DEVICES);
    const uids = deletions.map(({ uid }) => uid);
    if (uids.length > 0) {
      const isBehind = await isStreamBehind(db);
      for (const deleteBatch of DELETIONS) await pruneInBatches((limit) => deleteBatch(db, uids, limit));
      for (const leaf of await listLeaves(db)) await deleteOfLeaf(db, leaf, uids);
      const last = deletions.filter(({ isLast }) => isLast && !isBehind).map(({ uid }) => uid);
      await pruneInBatches((limit) => deleteShapes(db, last, limit));
      await endPass(db, { uids, leasedUntil, again: isBehind }, clock.now());
    }
    if (uids.length < DEVICES) return;
  }
}

async function deleteOfLeaf(db: Db, leaf: Leaf, uids: readonly string[]): Promise<void> {
  try {
    if (leaf.hasShapes) {
      for (const shapeNo of await shapesIn(db, leaf, uids))
        await pruneAlong("-infinity", (from, limit) => deleteMessages(db, leaf, shapeNo, from, limit));
      return;
    }
    for (const uid of await devicesIn(db, leaf, uids)) {
      await pruneAlong(FIRST_ROW, (from, limit) => deleteRows(db, leaf, uid, from, limit));
    }
  } catch (error) {
    if (!isDropped(error)) throw error;
  }
}
