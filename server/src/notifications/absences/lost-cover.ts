import { addMs, DAY, HOUR } from "../../lib/clock.ts";
import { onDutyTimes, type Span, uncoveredTimes } from "../coverage/coverage.ts";
import type { PagedGroup } from "../paging/recipients.ts";
import { rosterBetween } from "../roster/roster.ts";
import type { Absence, LostCover } from "./absence-record.ts";

const AHEAD_MS = 62 * DAY;

/** A time in which nobody of a group is on duty, though these users would be if nobody was absent. */
export interface LostDuty extends Span {
  userIds: string[];
}

/** Returns the duties of the next 62 days that absences leave without anybody. */
export function lostDuties(group: PagedGroup, now: Date): LostDuty[] {
  if (group.absences.length === 0) return [];
  const until = addMs(now, AHEAD_MS);
  const onDuty = onDutyTimes(group, now, until);
  return rosterBetween({ ...group, absences: [] }, now, until).flatMap(({ users, startsAt, endsAt }) => {
    const userIds = users.map(({ id }) => id);
    return uncoveredTimes(onDuty, later(startsAt, now), earlier(endsAt, until)).map((gap) => ({ ...gap, userIds }));
  });
}

/** Returns what an absence costs a group, if anything. */
export function lostCover(
  { id, name }: PagedGroup,
  lost: readonly LostDuty[],
  { userId, startsAt, endsAt }: Absence,
): LostCover | undefined {
  const missed = lost
    .filter(({ userIds, from, to }) => userIds.includes(userId) && from < endsAt && startsAt < to)
    .map(({ from, to }) => ({ from: later(from, startsAt), to: earlier(to, endsAt) }));
  const [first] = missed.toSorted((a, b) => a.from.getTime() - b.from.getTime());
  if (!first) return undefined;
  // Shifts that overlap miss the same hour, which counts once.
  const apart = uncoveredTimes(missed, startsAt, endsAt).reduce((sum, gap) => sum + length(gap), 0);
  const hours = Math.ceil(((length({ from: startsAt, to: endsAt }) - apart) / HOUR) * 10) / 10;
  return { groupId: id, groupName: name, hours, startsAt: first.from, endsAt: first.to };
}

const length = ({ from, to }: Span) => to.getTime() - from.getTime();
const later = (one: Date, other: Date) => (one > other ? one : other);
const earlier = (one: Date, other: Date) => (one < other ? one : other);
