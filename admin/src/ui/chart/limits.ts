import type { Tone } from "../theme/tones.ts";

/** A value that is marked, such as that of a rule. */
export interface Limit {
  value: number;
  tone: Tone;
  label: string;
}

/** What is measured takes at least a fifth of the height. */
const MOST_HEIGHTS = 4;

/** Whether the limit can be shown beside these values without making their line flat; beside none it can. */
export function isNear(limit: number, least: number, most: number): boolean {
  if (!(least <= most)) return true;
  const height = most - least || Math.abs(most) || 1;
  return limit <= most + MOST_HEIGHTS * height && limit >= least - MOST_HEIGHTS * height;
}
