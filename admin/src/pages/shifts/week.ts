import type { OnCall } from "../../api/people/on-call.ts";
import { wallClock } from "../../ui/display/zone.ts";

/** A part of a day as percentages of its 24 hours. */
interface Block {
  left: number;
  width: number;
}

/** A duty, or uncovered hours, within one day. */
export interface Entry extends Block {
  /** `22:00–24:00` by the wall clock. */
  times: string;
}

export interface DutyEntry extends Entry {
  key: string;
  shiftId: string;
  shiftName: string;
  /** The addresses of the people on duty; none if all of them are deactivated. */
  people: readonly string[];
  /** The row of the picture: simultaneous duties lie below each other. */
  row: number;
}

/** A day by the wall clock of a zone. */
export interface WeekDay {
  /** Midnight of the wall clock, as `Date.UTC` counts it. */
  date: number;
  duties: readonly DutyEntry[];
  gaps: readonly Entry[];
  /** The parts of the day before and after the seven days. */
  outside: readonly Block[];
  rows: number;
}

const DAY = 86_400_000;

/**
 * Returns the seven days from `from`, by the wall clock of `zone`. A day on which daylight saving begins has 24 hours
 * too.
 */
export function weekOf({ duties, gaps }: Pick<OnCall, "duties" | "gaps">, zone: string, from: number): WeekDay[] {
  const wall = wallClock(zone);
  const [first, last] = [wall(from), wall(from + 7 * DAY)];
  const days: WeekDay[] = [];
  for (let date = floorDay(first); date < last; date += DAY) {
    const within = (start: number, end: number) => entryOf(Math.max(start, first), Math.min(end, last), date);
    const found = duties.flatMap(({ shiftId, shiftName, users, startsAt, endsAt }) => {
      const entry = within(wall(Date.parse(startsAt)), wall(Date.parse(endsAt)));
      const people = users.map(({ email }) => email);
      return entry ? [{ ...entry, key: `${shiftId} ${startsAt}`, shiftId, shiftName, people }] : [];
    });
    const laid = inRows(found);
    days.push({
      date,
      duties: laid,
      gaps: gaps.flatMap((gap) => within(wall(Date.parse(gap.from)), wall(Date.parse(gap.to))) ?? []),
      outside: [entryOf(date, first, date), entryOf(last, date + DAY, date)].flatMap((each) => each ?? []),
      rows: Math.max(1, ...laid.map(({ row }) => row + 1)),
    });
  }
  return days;
}

/** Returns the part of [`start`, `end`) on the day; undefined if they do not overlap. */
function entryOf(start: number, end: number, date: number): Entry | undefined {
  const [from, to] = [Math.max(start, date), Math.min(end, date + DAY)];
  if (from >= to) return undefined;
  const percent = (at: number) => ((at - date) / DAY) * 100;
  return { left: percent(from), width: percent(to) - percent(from), times: `${clock(from, date)}–${clock(to, date)}` };
}

function inRows<Item extends Block>(items: readonly Item[]): (Item & { row: number })[] {
  const ends: number[] = [];
  return items
    .toSorted((one, other) => one.left - other.left)
    .map((item) => {
      const free = ends.findIndex((end) => end <= item.left);
      const row = free < 0 ? ends.length : free;
      ends[row] = item.left + item.width;
      return { ...item, row };
    });
}

function floorDay(wall: number): number {
  return Math.floor(wall / DAY) * DAY;
}

/** Returns `06:00`; midnight at the end of the day is `24:00`. */
function clock(wall: number, date: number): string {
  return wall === date + DAY ? "24:00" : new Date(wall).toISOString().slice(11, 16);
}
