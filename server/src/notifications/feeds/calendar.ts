import { setImmediate } from "node:timers/promises";
import ical, { foldLines, ICalCalendarMethod, ICalEventTransparency } from "ical-generator";
import { HOUR, SECOND } from "../../lib/clock.ts";
import type { OnCallDuty } from "../coverage/on-call.ts";
import { oneLine } from "../mail/mail-text.ts";

/** A duty as a calendar shows it. */
export type CalendarDuty = Pick<OnCallDuty, "groupId" | "shiftId" | "shiftName" | "users" | "startsAt" | "endsAt"> & {
  groupName: string;
};

export interface CalendarOf {
  name: string;
  /** Whether the reader is the only person whose duties these are, so that events need not name people. */
  own: boolean;
  duties: readonly CalendarDuty[];
  now: Date;
  baseUrl: string;
}

/** The numbers of people that a title and a description name. */
const NAMED = 3;
const DESCRIBED = 20;
/** The number of events that are rendered at once. */
const BATCH = 50;
const END = "END:VCALENDAR";

/**
 * Renders duties as a calendar (RFC 5545), an event for each. Times are in UTC, which every program shows in its own
 * zone; the duties have been computed over changes of the clock.
 */
export async function calendarText({ name, own, duties, now, baseUrl }: CalendarOf): Promise<string> {
  const calendar = ical({
    name: oneLine(name),
    prodId: { company: "Muster", product: "Muster", language: "EN" },
    method: ICalCalendarMethod.PUBLISH,
    ttl: HOUR / SECOND,
  });
  const parts = [calendar.toString().slice(0, -END.length)];
  for (const [nth, { groupId, shiftId, shiftName, groupName, users, startsAt, endsAt }] of duties.entries()) {
    const people = users.map(({ email }) => email);
    const who = own ? "On call" : titleOf(people);
    const event = calendar.createEvent({
      // A duty that changes hands is another event from then on.
      id: `${groupId}.${shiftId}.${startsAt.getTime()}@muster`,
      stamp: now,
      start: startsAt,
      end: endsAt,
      summary: oneLine(`${who}: ${groupName}, ${shiftName}`),
      description: descriptionOf(people),
      url: `${baseUrl}/shifts?group=${groupId}`,
      transparency: ICalEventTransparency.TRANSPARENT,
    });
    parts.push(foldLines(event.toString()));
    // Many events take a while, during which device messages would wait.
    if (nth % BATCH === BATCH - 1) await setImmediate();
  }
  return parts.join("") + END;
}

function titleOf(people: readonly string[]): string {
  if (people.length === 0) return "Nobody";
  const more = people.length > NAMED ? ` and ${people.length - NAMED} more` : "";
  return people.slice(0, NAMED).join(", ") + more;
}

function descriptionOf(people: readonly string[]): string {
  if (people.length === 0) return "Nobody is on duty.";
  const more = people.length > DESCRIBED ? [`and ${people.length - DESCRIBED} more`] : [];
  return [...people.slice(0, DESCRIBED), ...more].join("\n");
}
