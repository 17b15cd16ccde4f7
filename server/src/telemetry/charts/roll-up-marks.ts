import { HOUR, MINUTE } from "../../lib/clock.ts";
import type { TelemetryColumns } from "../ingest/batch.ts";
import type { Kept } from "../partitions/partitions.ts";

const HOUR_US = HOUR * 1000;
/** So long after its end an hour's mark is surely there still (`roll-up-store.ts` lets it rest for longer). */
const SURE_MS = MINUTE;

/** Hours of devices whose roll-ups a batch makes wrong: device and hour (since 1970) column by column. */
export interface Marks {
  deviceUids: string[];
  hours: number[];
}

/**
 * Which hours a batch has to mark. An hour that is not over yet rests, so a process that has marked it for a device
 * remembers that; every later one is marked by every batch.
 */
export interface MarkedHours {
  due(columns: TelemetryColumns, kept: readonly Kept[], nowMs: number): MarksDue;
}

export interface MarksDue {
  /** To be stored with the batch. */
  marks: Marks;
  /**
   * To be called once the batch is stored.
   *
   * @returns what must be marked after all, since storing took so long that a remembered mark may be gone
   */
  stored(nowMs: number): Marks | undefined;
}

export function createMarkedHours(): MarkedHours {
  /** Of every hour that is not over the devices it is marked for. */
  const marked = new Map<number, Set<string>>();

  function remember({ deviceUids, hours }: Marks, nowMs: number): void {
    for (const hour of marked.keys()) if (isOver(hour, nowMs)) marked.delete(hour);
    for (let index = 0; index < hours.length; index++) {
      const hour = hours[index]!;
      if (isOver(hour, nowMs)) continue;
      const devices = marked.get(hour) ?? new Set();
      marked.set(hour, devices.add(deviceUids[index]!));
    }
  }

  return {
    due(columns, kept, nowMs) {
      const marks: Marks = { deviceUids: [], hours: [] };
      const remembered: Marks = { deviceUids: [], hours: [] };
      eachHour(columns, kept, (deviceUid, hour) => {
        const known = !isOver(hour, nowMs) && marked.get(hour)?.has(deviceUid);
        const list = known ? remembered : marks;
        list.deviceUids.push(deviceUid);
        list.hours.push(hour);
      });
      return {
        marks,
        stored(storedMs) {
          remember(marks, storedMs);
          const late = remembered.hours.some((hour) => (hour + 1) * HOUR + SURE_MS <= storedMs);
          return late ? remembered : undefined;
        },
      };
    },
  };
}

function isOver(hour: number, nowMs: number): boolean {
  return (hour + 1) * HOUR <= nowMs;
}

/** Every hour of every device once; rows of a device are neighbours. */
function eachHour(
  { deviceUids, times }: TelemetryColumns,
  kept: readonly Kept[],
  found: (deviceUid: string, hour: number) => void,
): void {
  let [device, last] = ["", -1];
  let hours = new Set<number>();
  for (let row = 0; row < times.length; row++) {
    const hour = Math.floor(times[row]! / HOUR_US);
    if ((hour === last && deviceUids[row] === device) || kept[row] === 0) continue;
    if (deviceUids[row] !== device) hours = new Set();
    [device, last] = [deviceUids[row]!, hour];
    if (hours.has(hour)) continue;
    hours.add(hour);
    found(device, hour);
  }
}
