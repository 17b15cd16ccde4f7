import { addMs, MINUTE } from "../../lib/clock.ts";
import { type PagedGroup, usedChannels } from "../paging/recipients.ts";
import { type Roster, rosterBetween } from "../roster/roster.ts";

export interface Span {
  from: Date;
  to: Date;
}

/**
 * Returns the times between `from` and `to` when a newly opened anomaly has a recipient in one of the group's steps,
 * unless it ends first. A step that notifies a shift after some minutes notifies the users on duty at that later time.
 */
export function coveredTimes(group: PagedGroup, from: Date, to: Date): Span[] {
  const spans = group.escalation.flatMap(({ afterMinutes, notify }): Span[] => {
    if (notify === "channels") return usedChannels(group).length > 0 ? [{ from, to }] : [];
    const later = (at: Date, sign = 1) => addMs(at, sign * afterMinutes * MINUTE);
    const times = notify === "shift" ? onDutyTimes : presentTimes;
    return times(group, later(from), later(to)).map((span) => ({ from: later(span.from, -1), to: later(span.to, -1) }));
  });
  return union(spans);
}

/** Returns the times, unclipped, in which anybody is on duty. */
export function onDutyTimes(roster: Roster, from: Date, to: Date): Span[] {
  const spans = rosterBetween(roster, from, to).filter(({ users }) => users.length > 0);
  return union(spans.map(({ startsAt, endsAt }) => ({ from: startsAt, to: endsAt })));
}

/** Returns the times in which a member of the group is present. */
function presentTimes({ members, absences }: PagedGroup, from: Date, to: Date): Span[] {
  const away = Map.groupBy(absences, ({ userId }) => userId);
  if (members.some(({ id }) => !away.has(id))) return [{ from, to }];
  const present = members.flatMap(({ id }) =>
    uncoveredTimes(
      away.get(id)!.map(({ startsAt, endsAt }) => ({ from: new Date(startsAt), to: new Date(endsAt) })),
      from,
      to,
    ),
  );
  return union(present);
}

/** Returns the parts of [`from`, `to`) that `spans` leave uncovered. */
export function uncoveredTimes(spans: readonly Span[], from: Date, to: Date): Span[] {
  const gaps: Span[] = [];
  let open = from;
  for (const span of union(spans)) {
    if (span.from > open) gaps.push({ from: open, to: span.from < to ? span.from : to });
    if (span.to > open) open = span.to;
    if (open >= to) break;
  }
  if (open < to) gaps.push({ from: open, to });
  return gaps.filter((gap) => gap.from < gap.to);
}

function union(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from.getTime() - b.from.getTime())) {
    const last = merged.at(-1);
    if (last && span.from <= last.to) last.to = span.to > last.to ? span.to : last.to;
    else merged.push({ ...span });
  }
  return merged;
}
