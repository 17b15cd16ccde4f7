import { dutiesBetween } from "../../groups/groups.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import type { PagedGroup } from "./recipients.ts";

export interface Span {
  from: Date;
  to: Date;
}

/**
 * The times between `from` and `to` at which an anomaly that opens then would reach somebody of the group by one of its
 * steps, unless it ends before. A step that tells a shift after some minutes looks who is on duty then.
 */
export function reached(group: PagedGroup, from: Date, to: Date): Span[] {
  const spans = group.escalation.flatMap(({ afterMinutes, notify }): Span[] => {
    const always = notify === "members" ? group.members.length > 0 : notify === "channels" && group.channels.length > 0;
    if (always) return [{ from, to }];
    if (notify !== "shift") return [];
    const later = (at: Date, sign = 1) => addMs(at, sign * afterMinutes * MINUTE);
    return group.shifts
      .filter(({ users }) => users.length > 0)
      .flatMap((shift) => dutiesBetween(shift, later(from), later(to)))
      .map(({ startsAt, endsAt }) => ({ from: later(startsAt, -1), to: later(endsAt, -1) }));
  });
  return union(spans);
}

/** What of [`from`, `to`) none of `spans` covers. */
export function gaps(spans: readonly Span[], from: Date, to: Date): Span[] {
  const found: Span[] = [];
  let open = from;
  for (const span of union(spans)) {
    if (span.from > open) found.push({ from: open, to: span.from < to ? span.from : to });
    if (span.to > open) open = span.to;
    if (open >= to) break;
  }
  if (open < to) found.push({ from: open, to });
  return found.filter((gap) => gap.from < gap.to);
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
