import type { DeviceResult } from "./clients/protocol.ts";

/** The faults of the stored messages of one device, by their numbers. */
export interface Comparison {
  /** The number of messages that had to be stored. */
  readonly messages: number;
  /** Acknowledged and not stored. */
  readonly lost: number[];
  /** Stored more than once although they were sent once. */
  readonly twice: number[];
  /** Stored with a later time than one that was sent after them. */
  readonly outOfOrder: number[];
}

/**
 * Compares the messages of one device with the stored ones.
 *
 * @param stored their numbers by their times, the oldest first
 * @param from numbers below are not compared
 */
export function compareNumbers(
  stored: readonly number[],
  device: Pick<DeviceResult, "published" | "refused" | "unacknowledged" | "repeated">,
  from = 0,
): Comparison {
  const [excepted, repeated] = [new Set([...device.refused, ...device.unacknowledged]), new Set(device.repeated)];
  const found = new Set<number>();
  const [lost, twice, outOfOrder]: [number[], number[], number[]] = [[], [], []];
  let highest = -1;
  for (const number of stored.filter((each) => each >= from)) {
    if (found.has(number)) {
      if (!repeated.has(number)) twice.push(number);
    } else if (number < highest) outOfOrder.push(number);
    found.add(number);
    highest = Math.max(highest, number);
  }
  let messages = 0;
  for (let number = from; number < device.published; number++) {
    if (excepted.has(number)) continue;
    messages++;
    if (!found.has(number)) lost.push(number);
  }
  return { messages, lost, twice, outOfOrder };
}
