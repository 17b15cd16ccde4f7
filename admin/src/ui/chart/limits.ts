import type { Tone } from "../theme/tones.ts";

/** A marked value, such as the limit of a rule. */
export interface Limit {
  value: number;
  tone: Tone;
  label: string;
}

/** The measurements take at least a fifth of the height. */
const MOST_HEIGHTS = 4;

/** Whether the limit fits beside these values without flattening their line; without values it does. */
export function isNear(limit: number, least: number, most: number): boolean {
  if (!(least <= most)) return true;
  const height = most - least || Math.abs(most) || 1;
  return limit <= most + MOST_HEIGHTS * height && limit >= least - MOST_HEIGHTS * height;
}
