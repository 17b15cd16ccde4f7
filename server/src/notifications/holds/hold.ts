import { MINUTE } from "../../lib/clock.ts";

/** The reasons to put escalation steps off. */
export const HELD_BY = ["window", "snooze", "mute", "flapping", "cause", "outage", "dependency"] as const;
export type HeldBy = (typeof HELD_BY)[number];

/** The interval at which a page is checked again while an outage, or the silence of a device above, goes on. */
export const CHECK_MS = 5 * MINUTE;

/** The reason the pages of an anomaly are held back, and the earliest time of release. */
export interface Hold {
  by: HeldBy;
  until: Date;
}

/** A due escalation step that is put off. */
export interface HeldStep {
  anomaly_id: string;
  group_id: string;
  after_minutes: number;
  hold: Hold;
}

/** Keeps the first held step of each group's escalation: the later ones move with it. */
export function firstSteps(held: readonly HeldStep[]): HeldStep[] {
  const first = new Map<string, HeldStep>();
  for (const each of held) {
    const key = `${each.anomaly_id} ${each.group_id}`;
    const known = first.get(key);
    if (!known || each.after_minutes < known.after_minutes) first.set(key, each);
  }
  return [...first.values()];
}
