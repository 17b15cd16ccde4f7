import { addMs, MINUTE } from "../../lib/clock.ts";
import { type PagedGroup, usedChannels } from "../paging/recipients.ts";
import { rosterBetween } from "../roster/roster.ts";

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
    const always =
      notify === "members" ? group.members.length > 0 : notify === "channels" && usedChannels(group).length > 0;
    if (always) return [{ from, to }];
    if (notify !== "shift") return [];
    const later = (at: Date, sign = 1) => addMs(at, sign * afterMinutes * MINUTE);
    return rosterBetween(group, later(from), later(to))
      .filter(({ users }) => users.length > 0)
      .map(({ startsAt, endsAt }) => ({ from: later(startsAt, -1), to: later(endsAt, -1) }));
  });
  return union(spans);
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
