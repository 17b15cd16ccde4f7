import { dutyAt, nextDuty } from "../../groups/groups.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { type Roster, rosterAt, rosterBetween } from "./roster.ts";

/** The time ahead in which a user's next duty is looked for; a longer rotation is looked at again then. */
const AHEAD_MS = 28 * DAY;

/** Whether a user is on duty, and when their next duty begins. */
export interface PersonalDuty {
  isOn: boolean;
  /** `null` without one; if none is near, when to look again. */
  next: Date | null;
}

/** Returns the duty of a user, by id, on a roster. */
export type PersonalDuties = (roster: Roster, userId: string) => PersonalDuty;

/**
 * Returns a function to users' duties at `at`. It looks at each roster when first asked about it, and ahead when first
 * asked about a user who is off duty: once for all users of a large group.
 */
export function dutiesAt(at: Date): PersonalDuties {
  const present = onDutyAt(at);
  const starts = perRoster((roster) => nextStarts(roster, at));
  return (roster, userId) => {
    const duty = present(roster, userId);
    return duty.isOn ? duty : { ...duty, next: starts(roster).get(userId) ?? null };
  };
}

/** Returns a function to whether users are on duty at `at`, without looking ahead, which takes long for many shifts. */
export function onDutyAt(at: Date): PersonalDuties {
  const onDuty = perRoster((roster) => new Set(rosterAt(roster, at).flatMap(({ users }) => users.map(({ id }) => id))));
  return (roster, userId) => ({ isOn: onDuty(roster).has(userId), next: null });
}

/** Returns when each user's next duty begins, or when to look again; without one, the user is left out. */
function nextStarts(roster: Roster, at: Date): Map<string, Date> {
  const until = addMs(at, AHEAD_MS);
  const remaining = roster.shifts.filter((shift) => dutyAt(shift, at) ?? nextDuty(shift, at));
  if (remaining.length === 0) return new Map();
  const takers = roster.overrides.flatMap(({ user, endsAt }) => (user && endsAt > at.getTime() ? [user] : []));
  const people = [...remaining.flatMap(({ users }) => users), ...takers];
  const starts = new Map(people.map(({ id }) => [id, until] as const));
  const found = new Set<string>();
  for (const { startsAt, users } of rosterBetween(roster, at, until)) {
    if (startsAt <= at) continue;
    for (const { id } of users) {
      if (found.has(id) || !starts.has(id)) continue;
      found.add(id);
      starts.set(id, startsAt);
    }
  }
  return starts;
}

function perRoster<T>(find: (roster: Roster) => T): (roster: Roster) => T {
  const known = new Map<Roster, T>();
  return (roster) => {
    const value = known.get(roster) ?? find(roster);
    known.set(roster, value);
    return value;
  };
}
