import { DAY, MINUTE } from "../../lib/clock.ts";
import { firstInstant, wallTime } from "../../lib/time-zone.ts";

/**
 * Takes turns among the users of a shift: every `every` days or weeks, at a local time of the shift's zone, the next
 * turn begins. The first turn begins on `startDate`; before it, the turns follow each other in the same order.
 */
export interface Rotation {
  unit: "day" | "week";
  every: number;
  /** `YYYY-MM-DD`, local. */
  startDate: string;
  /** `HH:MM`, local. */
  handOverTime: string;
  /** The ids of the users of each turn: one person, a pair, or more. */
  turns: string[][];
}

/** Returns the index of the turn in progress at `at`. */
export function turnAt(zone: string, rotation: Rotation, at: Date): number {
  const turns = rotation.turns.length;
  return ((periodAt(zone, rotation, at.getTime()) % turns) + turns) % turns;
}

/** Returns the instants between `from` and `to`, both exclusive, at which a turn begins. */
export function handOversBetween(zone: string, rotation: Rotation, from: Date, to: Date): Date[] {
  const found: Date[] = [];
  for (let period = periodAt(zone, rotation, from.getTime()) + 1; ; period++) {
    const at = startOf(zone, rotation, period);
    if (at >= to.getTime()) return found;
    if (at > from.getTime() && found.at(-1)?.getTime() !== at) found.push(new Date(at));
  }
}

/** Returns the number of the period in progress; that of `startDate` is 0. */
function periodAt(zone: string, rotation: Rotation, at: number): number {
  let period = Math.floor((wallTime(zone, at) - firstWall(rotation)) / lengthOf(rotation));
  // A clock that is set back shows times before the hand-over again after it; a skipped hand-over is at the change.
  while (startOf(zone, rotation, period + 1) <= at) period++;
  while (startOf(zone, rotation, period) > at) period--;
  return period;
}

function startOf(zone: string, rotation: Rotation, period: number): number {
  return firstInstant(zone, firstWall(rotation) + period * lengthOf(rotation));
}

function lengthOf({ unit, every }: Rotation): number {
  return every * (unit === "week" ? 7 : 1) * DAY;
}

/** Returns the wall time of the first hand-over. */
function firstWall({ startDate, handOverTime }: Rotation): number {
  const minutes = Number(handOverTime.slice(0, 2)) * 60 + Number(handOverTime.slice(3));
  return Date.parse(startDate) + minutes * MINUTE;
}
