import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/shifts.ts";
import { t as rotationTexts } from "#texts/rotation.ts";
import { GROUPS } from "../../api/people/groups.ts";
import { COVERAGE } from "../../api/people/on-call.ts";
import { SHIFTS, type Shift } from "../../api/people/shifts.ts";
import { Actor } from "../../parts/actor.tsx";
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

/** The number of people that are named. */
const NAMED = 2;

/** The people of a shift by name, or their number. */
export function People({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return <span className="soft">{common.none}</span>;
  if (ids.length > NAMED) return nouns.person(ids.length);
  return ids.map((id, at) => (
    <span key={id}>
      {at > 0 && ", "}
      <Actor of={`user:${id}`} />
    </span>
  ));
}

/** The beginnings of the addresses of everything that depends on shifts: groups, their week, and their coverage. */
export const OF_SHIFTS = [SHIFTS, GROUPS, COVERAGE];
