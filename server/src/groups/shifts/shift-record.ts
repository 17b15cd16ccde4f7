import type { Rotation } from "./rotation.ts";
import { dutyAt, type ShiftTimes } from "./shift-calendar.ts";
import type { ShiftRow } from "./shift-store.ts";

/** A shift in its API form (docs/spec-decisions.md, records). */
export interface ShiftRecord extends ShiftTimes {
  id: string;
  name: string;
  /** The name by which a program that manages the shift knows it. */
  externalId: string | null;
  /** The users of all turns, if the shift rotates. */
  userIds: string[];
  /** Among the shifts of a group on duty, only those of the highest layer that has users are paged: 0 to 9. */
  layer: number;
  rotation: Rotation | null;
  groupIds: string[];
  /** Whether it is on duty at the time of the answer. */
  onDuty: boolean;
}

export function toShiftRecord(row: ShiftRow, now: Date): ShiftRecord {
  const times: ShiftTimes = {
    timeZone: row.time_zone,
    startTime: row.start_time,
    endTime: row.end_time,
    daysOfWeek: row.days_of_week,
    validFrom: row.valid_from,
    validUntil: row.valid_until,
  };
  const { id, name, external_id: externalId, user_ids: userIds, group_ids: groupIds, layer } = row;
  const onDuty = dutyAt(times, now) !== undefined;
  return { id, name, externalId, ...times, userIds, layer, rotation: rotationOf(row), groupIds, onDuty };
}

/** Returns the rotation without deleted users. */
function rotationOf({ rotation, user_ids: userIds }: ShiftRow): Rotation | null {
  return rotation && { ...rotation, turns: rotation.turns.map((users) => users.filter((id) => userIds.includes(id))) };
}
