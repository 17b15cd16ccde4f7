import type { Duty, ShiftTimes } from "../../groups/groups.ts";
import { nextWindow, type WindowTimes, windowAt } from "./window-calendar.ts";

/** The scopes of a window: every device, those of a group or of a device type, or the named ones. */
export const COVERS = ["all", "group", "deviceType", "devices"] as const;
export type Covers = (typeof COVERS)[number];

/** A maintenance window as the database stores it. */
export interface WindowRow extends WindowTimes {
  id: string;
  name: string;
  covers: Covers;
  groupId: string | null;
  deviceTypeId: string | null;
  /** Those of its devices that the caller may see; empty unless it covers devices. */
  deviceIds: string[];
  holdsCritical: boolean;
  createdAt: Date;
  createdBy: string;
}

/** A maintenance window in its API form. */
export interface WindowRecord {
  id: string;
  name: string;
  covers: Covers;
  groupId: string | null;
  deviceTypeId: string | null;
  deviceIds: string[];
  /** Start and end of a window that takes place once; both `null` if it recurs. */
  startsAt: Date | null;
  endsAt: Date | null;
  recurrence: ShiftTimes | null;
  /** Whether critical pages are held back as well. */
  holdsCritical: boolean;
  /** The occurrence in effect, and the next one. */
  current: Duty | null;
  next: Duty | null;
  createdAt: Date;
  createdBy: string;
}

export function toWindowRecord(row: WindowRow, now: Date): WindowRecord {
  const { id, name, covers, groupId, deviceTypeId, deviceIds, startsAt, endsAt, recurrence } = row;
  const { holdsCritical, createdAt, createdBy } = row;
  return {
    id,
    name,
    covers,
    groupId,
    deviceTypeId,
    deviceIds,
    startsAt,
    endsAt,
    recurrence,
    holdsCritical,
    current: windowAt(row, now) ?? null,
    next: nextWindow(row, now) ?? null,
    createdAt,
    createdBy,
  };
}
