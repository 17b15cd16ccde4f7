import type { Db } from "../../db/database.ts";
import { RecentMap } from "../../lib/collections/recent-map.ts";
import type { DeviceLatest } from "./device-latest.ts";
import { loadLatest } from "./latest-rows-store.ts";

/**
 * The maximum number of metrics in memory, for all devices; a device without metrics counts as one. A miss costs one
 * query.
 */
const MAX_METRICS = 1_000_000;

/**
 * A cache of the latest values of this process's devices. The database has the last word: a batch prepared from an
 * outdated version is refused when it is stored, and the device is loaded again.
 */
export interface LatestCache {
  /** Returns devices, loading all missing ones with one statement. A device without a row yields an empty value. */
  of(deviceUids: ReadonlySet<string>, db?: Db): Promise<ReadonlyMap<string, DeviceLatest>>;
  /** Must be called when a device has gained metrics. */
  grown(deviceUid: string, latest: DeviceLatest): void;
  /** Drops these devices, because it is unknown whether their batch was stored. */
  forget(deviceUids: Iterable<string>): void;
}

export function createLatestCache(database: Db): LatestCache {
  const devices = new RecentMap<string, DeviceLatest>(MAX_METRICS, ({ units }) => units);

  function add(uid: string, latest: DeviceLatest): void {
    latest.units = Math.max(1, latest.metrics.length);
    devices.set(uid, latest);
  }

  return {
    async of(deviceUids, db = database) {
      const found = new Map<string, DeviceLatest>();
      const missing: string[] = [];
      for (const uid of deviceUids) {
        const cached = devices.get(uid);
        if (cached) found.set(uid, cached);
        else missing.push(uid);
      }
      if (missing.length === 0) return found;
      for (const [uid, latest] of await loadLatest(db, missing)) {
        add(uid, latest);
        found.set(uid, latest);
      }
      return found;
    },
    grown(deviceUid, latest) {
      devices.delete(deviceUid);
      add(deviceUid, latest);
    },
    forget(deviceUids) {
      for (const uid of deviceUids) devices.delete(uid);
    },
  };
}
