import { t } from "#texts/pages/shifts.ts";
import { t as rotationTexts } from "#texts/rotation.ts";
import { GROUPS } from "../../api/people/groups.ts";
import { COVERAGE } from "../../api/people/on-call.ts";
import { SHIFTS, type Shift } from "../../api/people/shifts.ts";
import { Status } from "../../ui/ui.ts";
import { daysText } from "../../words/on-call.ts";

/** Returns `22:00–06:00, Mon–Thu (Europe/Berlin)`. */
export function shiftTimes({ startTime, endTime, daysOfWeek, timeZone, rotation, layer }: Shift): string {
  const times = startTime === endTime ? t.n24HFrom(startTime) : `${startTime}–${endTime}`;
  const turns = rotation && rotationTexts[rotation.unit === "day" ? "everyDays" : "everyWeeks"](rotation.every);
  const more = [turns, layer > 0 && rotationTexts.layerOf(layer)].filter(Boolean);
  return [`${times}, ${daysText(daysOfWeek)} (${timeZone})`, ...more].join(", ");
}

/** Shows whether the shift is on duty now, or has no users. */
export function OnDuty({ shift: { onDuty, userIds } }: { shift: Shift }) {
  if (userIds.length === 0) return <Status of={["warn", t.noUsers]} plain />;
  return <Status of={[onDuty ? "good" : "neutral", onDuty ? t.onDuty2 : t.offDuty]} plain />;
}

/** The beginnings of the addresses of everything that depends on shifts: groups, their week, and their coverage. */
export const OF_SHIFTS = [SHIFTS, GROUPS, COVERAGE];
