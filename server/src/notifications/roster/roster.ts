import {
  type Duty,
  dutiesBetween,
  handOversBetween,
  type Rotation,
  type ShiftTimes,
  turnAt,
} from "../../groups/groups.ts";
import { addMs, DAY } from "../../lib/clock.ts";

export interface Person {
  id: string;
  email: string;
}

export interface RosterShift extends ShiftTimes {
  id: string;
  name: string;
  layer: number;
  rotation: Rotation | null;
  /** The active users; those of all turns, if the shift rotates. */
  users: Person[];
}

/**
 * A time in which a person takes the duty of another, or of everybody (`replaces` is null). It changes the people of
 * shifts, not their hours. Times are in milliseconds since 1970.
 */
export interface RosterOverride {
  startsAt: number;
  endsAt: number;
  replaces: string | null;
  /** The active user who takes the duty; `null` once deactivated or deleted. */
  user: Person | null;
}

/** A time in which a person is away: neither on duty nor paged. Times are in milliseconds since 1970. */
export interface RosterAbsence {
  userId: string;
  startsAt: number;
  endsAt: number;
}

/** Shifts that are on duty together. */
export interface Roster {
  shifts: RosterShift[];
  /** In the order in which they apply. */
  overrides: RosterOverride[];
  /** The absences of all people named, in any order. */
  absences: RosterAbsence[];
}

/** A time in which the same people of a shift are on duty; nobody if `users` is empty. */
export interface RosterSpan extends Duty {
  shift: RosterShift;
  users: Person[];
}

/** Returns the people of a shift at `at`. It does not check whether the shift is on duty: `rosterAt` does. */
function peopleAt(shift: RosterShift, { overrides, absences }: Roster, at: Date): Person[] {
  const { rotation, timeZone, users } = shift;
  const turn = rotation?.turns[turnAt(timeZone, rotation, at)];
  const usual = turn ? users.filter(({ id }) => turn.includes(id)) : users;
  const changed = overrides.filter((override) => isIn(override, at)).reduce(applyOverride, usual);
  return presentAt(changed, absences, at);
}

/** Returns the people who are not absent at `at`. */
export function presentAt<P extends Person>(people: P[], absences: readonly RosterAbsence[], at: Date): P[] {
  const away = new Set(absences.filter((absence) => isIn(absence, at)).map(({ userId }) => userId));
  return away.size === 0 ? people : people.filter(({ id }) => !away.has(id));
}

/** Checks whether an override or absence counts at `at`. */
export function isIn({ startsAt, endsAt }: { startsAt: number; endsAt: number }, at: Date): boolean {
  return startsAt <= at.getTime() && at.getTime() < endsAt;
}

function applyOverride(people: Person[], { replaces, user }: RosterOverride): Person[] {
  const taker = user ? [user] : [];
  if (replaces === null) return taker;
  const changed = people.flatMap((person) => (person.id === replaces ? taker : [person]));
  return changed.filter(({ id }, at) => changed.findIndex((other) => other.id === id) === at);
}

/**
 * Decides who is on duty: everything else asks this function. Returns the spans of the roster that overlap
 * [`from`, `to`), unclipped and by start: those of a lower layer only while nobody of a higher layer is on duty.
 */
export function rosterBetween(roster: Roster, from: Date, to: Date): RosterSpan[] {
  const { shifts } = roster;
  // A duty lasts at most a day of 25 hours, and a span is cut where a span of another layer ends.
  const [first, last] = [addMs(from, -2 * DAY), addMs(to, 2 * DAY)];
  const layered = new Set(shifts.map(({ layer }) => layer)).size > 1;
  const [begin, end] = layered ? [first, last] : [from, to];
  const spans = shifts.map((shift) => spansOf(shift, roster, begin, end));
  const shown = spans.flatMap((own, at) => {
    const above = spans.filter((_, other) => shifts[other]!.layer > shifts[at]!.layer).flat();
    return without(
      own,
      above.filter(({ users }) => users.length > 0),
    );
  });
  return shown
    .filter(({ startsAt, endsAt }) => startsAt < to && from < endsAt)
    .sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
}

/** Returns the spans in progress at `at`. */
export function rosterAt(roster: Roster, at: Date): RosterSpan[] {
  return rosterBetween(roster, at, addMs(at, 1));
}

/** Returns the spans of one shift, whatever the others are. */
function spansOf(shift: RosterShift, roster: Roster, from: Date, to: Date): RosterSpan[] {
  return dutiesBetween(shift, from, to).flatMap((duty) => {
    const cuts = cutsOf(shift, roster, duty);
    const spans: RosterSpan[] = [];
    for (const [at, startsAt] of cuts.entries()) {
      const endsAt = cuts[at + 1];
      if (!endsAt) break;
      const [before, users] = [spans.at(-1), peopleAt(shift, roster, startsAt)];
      if (before && isSame(before.users, users)) before.endsAt = endsAt;
      else spans.push({ shift, users, startsAt, endsAt });
    }
    return spans;
  });
}

/** Returns the instants of a duty at which its people may change, with its start and end, in order. */
function cutsOf(
  { timeZone, rotation }: RosterShift,
  { overrides, absences }: Roster,
  { startsAt, endsAt }: Duty,
): Date[] {
  const turns = rotation ? handOversBetween(timeZone, rotation, startsAt, endsAt).map(Number) : [];
  const changes = [...overrides, ...absences].flatMap((change) => [change.startsAt, change.endsAt]);
  const within = [...turns, ...changes].filter((at) => at > startsAt.getTime() && at < endsAt.getTime());
  const instants = [...new Set(within)].sort((a, b) => a - b).map((at) => new Date(at));
  return [startsAt, ...instants, endsAt];
}

/** Returns the parts of the spans that none of the others overlaps. */
function without(spans: readonly RosterSpan[], others: readonly RosterSpan[]): RosterSpan[] {
  let left = [...spans];
  for (const { startsAt, endsAt } of others) {
    left = left.flatMap((span) => {
      if (endsAt <= span.startsAt || span.endsAt <= startsAt) return [span];
      const before = span.startsAt < startsAt ? [{ ...span, endsAt: startsAt }] : [];
      return endsAt < span.endsAt ? [...before, { ...span, startsAt: endsAt }] : before;
    });
  }
  return left;
}

function isSame(one: readonly Person[], other: readonly Person[]): boolean {
  return one.length === other.length && one.every(({ id }, at) => id === other[at]!.id);
}
