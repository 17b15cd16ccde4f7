import { PRIORITY, type Priority } from "../queues/priority.ts";

/** A tenant's accepted messages about anomalies in the current clock minute. Critical pages to people do not count. */
export interface MinuteCounts {
  criticalToChannels: number;
  others: number;
}

/**
 * Decides which messages of one tenant are accepted, the most important first. Critical pages to people are always
 * accepted. Critical pages to channels are accepted up to `most`, independently of other messages. All others are
 * accepted up to `most` as well, with the last quarter reserved for people.
 *
 * @param counts the counts so far; accepted messages are added
 */
export function admit<Item extends { priority: Priority }>(
  items: readonly Item[],
  counts: MinuteCounts,
  most: number,
): { accepted: Item[]; suppressed: Item[] } {
  const forChannels = most - Math.floor(most / 4);
  const isAccepted = ({ priority }: Item): boolean => {
    if (priority === PRIORITY.criticalToPerson) return true;
    if (priority === PRIORITY.criticalToChannel)
      return counts.criticalToChannels < most && ++counts.criticalToChannels > 0;
    return counts.others < (priority === PRIORITY.toPerson ? most : forChannels) && ++counts.others > 0;
  };
  const [accepted, suppressed]: [Item[], Item[]] = [[], []];
  for (const item of items.toSorted((a, b) => a.priority - b.priority))
    (isAccepted(item) ? accepted : suppressed).push(item);
  return { accepted, suppressed };
}
