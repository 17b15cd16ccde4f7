import { HOUR, MINUTE } from "../../lib/clock.ts";
import type { RowRetention, RowTime } from "../row-retention.ts";

const HOUR_US = HOUR * 1000;
/** No process computes an hour within this time after its end (`roll-up/dirty-hour-store.ts` waits longer). */
const SAFE_MS = MINUTE;

/** Hours of devices whose roll-ups may not match their readings, as columns of devices and hours (since 1970). */
export interface DirtyHours {
  deviceUids: string[];
  hours: number[];
}

/**
 * Decides which hours a batch marks dirty. A current hour is not computed yet, so this process marks it once per device
 * and remembers that. An hour that has ended is marked by every batch.
 */
export interface DirtyHourTracker {
  select(rows: readonly RowTime[], retention: readonly RowRetention[], nowMs: number): DirtyHourSelection;
}

export interface DirtyHourSelection {
  /** The hours to mark in the commit of the batch. */
  toMark: DirtyHours;
  /** Checks whether a skipped hour may be computed before the batch is stored. The caller must then select again. */
  isLate(nowMs: number): boolean;
  /**
   * Must be called once the batch is stored.
   *
   * @returns hours to mark now: they were skipped as already marked, but storing took so long that they may have been
   *   computed
   */
  confirm(nowMs: number): DirtyHours | undefined;
}

export function createDirtyHourTracker(): DirtyHourTracker {
  /** Maps hours that have not ended to the devices for which they are marked. */
  const marked = new Map<number, Set<string>>();

  function remember({ deviceUids, hours }: DirtyHours, nowMs: number): void {
    for (const hour of marked.keys()) if (hasEnded(hour, nowMs)) marked.delete(hour);
    for (let index = 0; index < hours.length; index++) {
      const hour = hours[index]!;
      if (hasEnded(hour, nowMs)) continue;
      const devices = marked.get(hour) ?? new Set();
      marked.set(hour, devices.add(deviceUids[index]!));
    }
  }

  return {
    select(rows, retention, nowMs) {
      const toMark: DirtyHours = { deviceUids: [], hours: [] };
      const skipped: DirtyHours = { deviceUids: [], hours: [] };
      eachHour(rows, retention, (deviceUid, hour) => {
        const isMarked = !hasEnded(hour, nowMs) && marked.get(hour)?.has(deviceUid);
        const list = isMarked ? skipped : toMark;
        list.deviceUids.push(deviceUid);
        list.hours.push(hour);
      });
      const isLate = (ms: number) => skipped.hours.some((hour) => (hour + 1) * HOUR + SAFE_MS <= ms);
      return {
        toMark,
        isLate,
        confirm(storedMs) {
          remember(toMark, storedMs);
          return isLate(storedMs) ? skipped : undefined;
        },
      };
    },
  };
}

function hasEnded(hour: number, nowMs: number): boolean {
  return (hour + 1) * HOUR <= nowMs;
}

/** Returns every hour of every device once. Expects the rows of a device next to each other. */
export function allHours(rows: readonly RowTime[]): DirtyHours {
  const all: DirtyHours = { deviceUids: [], hours: [] };
  eachHour(rows, [], (deviceUid, hour) => {
    all.deviceUids.push(deviceUid);
    all.hours.push(hour);
  });
  return all;
}

/** Calls `visit` once for every hour of every device. Expects the rows of a device next to each other. */
function eachHour(
  rows: readonly RowTime[],
  retention: readonly RowRetention[],
  visit: (deviceUid: string, hour: number) => void,
): void {
  let [device, last] = ["", -1];
  let hours = new Set<number>();
  for (let row = 0; row < rows.length; row++) {
    const { deviceUid, time } = rows[row]!;
    const hour = Math.floor(time / HOUR_US);
    if ((hour === last && deviceUid === device) || retention[row] === 0) continue;
    if (deviceUid !== device) hours = new Set();
    [device, last] = [deviceUid, hour];
    if (hours.has(hour)) continue;
    hours.add(hour);
    visit(device, hour);
  }
}
