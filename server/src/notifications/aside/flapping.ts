import { HOUR } from "../../lib/clock.ts";

/** The relation of an opening to the earlier ones of its rule on its device. */
export interface Flapping {
  /** Whether it is the first of the episode, whose page stands for all. */
  first: boolean;
  /** The end of the hour that it begins: if it is then still open, it is no flapping any more. */
  until: Date;
}

/**
 * Returns whether an anomaly flaps: more than `above` openings within the hour that ends with it.
 *
 * @param openings its own opening and the `above + 1` before it, the latest first
 * @param above the limit of the tenant; 0 for never
 */
export function flappingOf(openings: readonly Date[], above: number): Flapping | undefined {
  if (above === 0 || !flapsAt(openings, 0, above)) return undefined;
  return { first: !flapsAt(openings, 1, above), until: new Date(openings[0]!.getTime() + HOUR) };
}

function flapsAt(openings: readonly Date[], index: number, above: number): boolean {
  const [latest, earliest] = [openings[index], openings[index + above]];
  return latest !== undefined && earliest !== undefined && earliest.getTime() > latest.getTime() - HOUR;
}
