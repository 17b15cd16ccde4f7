import { PRIORITY, type Priority } from "../queues/priority.ts";

/** Messages about anomalies that a tenant has had accepted in the current clock minute; critical pages to people are not counted. */
export interface MinuteCounts {
  criticalToChannels: number;
  others: number;
}

/**
 * Which messages of one tenant are accepted, the most important first: critical pages to people always; critical pages to channels up to
 * `most`, whatever else there is; of the others `most` as well, the last quarter of them only for people.
 *
 * @param counts of the messages before; counts the accepted ones
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
