import type { Shift } from "../../api/people/shifts.ts";
import { Status } from "../../ui/display/status.tsx";
import { daysText } from "../../words/on-call.ts";

/** `22:00–06:00, Mon–Thu (Europe/Berlin)`. */
export function shiftTimes({ startTime, endTime, daysOfWeek, timeZone }: Shift): string {
  const times = startTime === endTime ? `24 h from ${startTime}` : `${startTime}–${endTime}`;
  return `${times}, ${daysText(daysOfWeek)} (${timeZone})`;
}

/** Whether the shift is on duty now, and has people who can be paged. */
export function OnDuty({ shift: { onDuty, userIds } }: { shift: Shift }) {
  if (userIds.length === 0)
    return (
      <Status plain tone="warn">
        No users
      </Status>
    );
  return (
    <Status plain tone={onDuty ? "good" : "neutral"}>
      {onDuty ? "On duty" : "Off duty"}
    </Status>
  );
}
